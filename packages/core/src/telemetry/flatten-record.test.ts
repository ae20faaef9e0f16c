import { fieldRecord } from "@device-gateway/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject } from "../shared/json.js";
import { flattenRecord } from "./flatten-record.js";

const flat = (record: JsonObject) =>
  Object.fromEntries(flattenRecord(record).map(({ name, value }) => [name, value]));

function countLeaves(value: unknown): number {
  if (typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value))) return 1;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce((sum: number, member) => sum + countLeaves(member), 0);
}

test("§4 numbers and booleans are metrics named by their path, and nothing else is a metric", () => {
  expect(
    flat({
      voltage: 53.2,
      charging: true,
      source: "ble",
      bms: { minCellVoltage: 3.3, error: null },
      cellVoltages: [{ cell: 1, voltage: 3.321 }],
      "a.b": 1,
      a: { b: 2 },
      "c\\": { d: 3 },
    }),
  ).toEqual({
    voltage: 53.2,
    charging: 1,
    "bms.minCellVoltage": 3.3,
    "cellVoltages.0.cell": 1,
    "cellVoltages.0.voltage": 3.321,
    "a\\.b": 1,
    "a.b": 2,
    "c\\\\.d": 3,
  });
});

test("§4 timestamp, seq and ota are not metrics at the top level, but are further down", () => {
  expect(
    flat({ timestamp: 1, seq: 2, ota: { a: 3 }, b: { timestamp: 4, seq: 5, ota: 6 } }),
  ).toEqual({
    "b.timestamp": 4,
    "b.seq": 5,
    "b.ota": 6,
  });
});

test("§4 the metrics of a field record are all its numbers and booleans outside its OTA section", () => {
  const { ota: _, ...measured } = fieldRecord;
  expect(Object.keys(flat(fieldRecord))).toHaveLength(countLeaves(measured));
});

test("§4 no two metrics of a record have the same name, and none is lost", () => {
  const record = fc.dictionary(
    fc.string({ unit: fc.constantFrom("a", ".", "\\", "0"), maxLength: 4 }),
    fc.jsonValue({ maxDepth: 3, stringUnit: fc.constantFrom("a", ".", "\\", "0") }),
    { maxKeys: 8 },
  ) as fc.Arbitrary<JsonObject>;
  fc.assert(
    fc.property(record, (generated) => {
      const metrics = flattenRecord(generated);
      expect(new Set(metrics.map(({ name }) => name)).size).toBe(metrics.length);
      expect(metrics).toHaveLength(countLeaves(generated));
    }),
  );
});
