import type { FollowedRecord, JsonObject } from "@device-gateway/core/store";
import { describe, expect, it } from "vitest";
import { createLineWriter } from "./line-writer.js";
import { createSeriesCap } from "./series-cap.js";

const unbounded = { metricsPerDevice: 1_000, series: 1_000 };
const recordOf = (value: JsonObject, changes: Partial<FollowedRecord> = {}): FollowedRecord => ({
  deviceId: "gw-1",
  targetHardware: "esp32:gw-2",
  position: 1,
  at: 1_750_000_000_123,
  receivedAt: 1_750_000_001_000,
  seq: null,
  value,
  ...changes,
});

function writerOf(metrics?: readonly string[], bounds = unbounded) {
  return createLineWriter({ measurement: "telemetry", metrics }, createSeriesCap(bounds));
}

describe("line protocol of a record", () => {
  it("§4 has numbers and booleans with their paths, and the time of measurement in milliseconds", () => {
    const record = recordOf({
      timestamp: 5,
      seq: 7,
      soc: 50.5,
      ok: true,
      off: false,
      text: "12",
      none: null,
      bms: { "cell.1": -0, max: 1e21 },
      list: [1, 2],
    });
    expect(writerOf().toLine(record)).toBe(
      "telemetry,deviceId=gw-1,hardware=esp32:gw-2 soc=50.5,ok=1,off=0,bms.cell\\.1=0,bms.max=1e+21,list.0=1,list.1=2 1750000000123",
    );
  });

  it("escapes the hardware and the measurement", () => {
    const writer = createLineWriter(
      { measurement: "my data", metrics: undefined },
      createSeriesCap(unbounded),
    );
    const record = recordOf({ v: 1 }, { targetHardware: "my board, rev=2\\" });
    expect(writer.toLine(record)).toBe(
      "my\\ data,deviceId=gw-1,hardware=my\\ board\\,\\ rev\\=2/ v=1 1750000000123",
    );
  });

  it("has no field with the name of a tag", () => {
    const writer = writerOf(["deviceId", "hardware"]);
    expect(writer.toLine(recordOf({ deviceId: 1, hardware: true }))).toContain(
      " deviceId_=1,hardware_=1 ",
    );
  });

  it("has only the listed metrics, and no line without one of them", () => {
    const writer = writerOf(["soc", "bms.*"]);
    expect(writer.toLine(recordOf({ soc: 1, other: 2, bms: { v: 3 } }))).toContain(
      " soc=1,bms.v=3 ",
    );
    expect(writer.toLine(recordOf({ other: 2, note: "x" }))).toBeNull();
    expect(writerOf().toLine(recordOf({ note: "x" }))).toBeNull();
  });

  it("leaves out new metrics of a device beyond its cap, and counts them", () => {
    const writer = writerOf(undefined, { metricsPerDevice: 2, series: 3 });
    expect(writer.toLine(recordOf({ a: 1, b: 2, c: 3 }))).toContain(" a=1,b=2 ");
    expect(writer.toLine(recordOf({ c: 3 }))).toBeNull();
    expect(writer.toLine(recordOf({ b: 4, c: 3 }))).toContain(" b=4 ");
    expect(writer.toLine(recordOf({ a: 1, b: 2 }, { deviceId: "gw-2" }))).toContain(" a=1 ");
    expect(writer.takeDropped()).toEqual({ device: 3, scarce: 0, total: 1 });
    expect(writer.takeDropped()).toEqual({ device: 0, scarce: 0, total: 0 });
  });

  it("a device that declares another hardware at each login gets the series of four", () => {
    const writer = writerOf();
    const lines = Array.from({ length: 9 }, (_, n) =>
      writer.toLine(recordOf({ a: 1 }, { targetHardware: `board-${n}` })),
    );
    expect(lines.map((line) => line !== null)).toEqual([
      true,
      true,
      true,
      true,
      ...Array(5).fill(false),
    ]);
    expect(writer.toLine(recordOf({ b: 1 }, { targetHardware: "board-0" }))).not.toBeNull();
  });
});
