import type { GatewayStore } from "@device-gateway/core/store";
import { expect } from "vitest";
import { registerSampleDevice, sampleRecord } from "../samples/samples.js";
import { type StoreCase, toCase } from "../samples/store-case.js";

async function send(
  store: GatewayStore,
  deviceId: string,
  at: number,
  receivedAt: number,
  name = `${at} ${receivedAt}`,
): Promise<void> {
  const records = [sampleRecord({ at, value: { name } })];
  await store.telemetry.append({ deviceId, receivedAt, records, once: null });
}

/** Returns the names in the latest records. */
async function latest(
  store: GatewayStore,
  ...devices: readonly (readonly [deviceId: string, from: number])[]
): Promise<(string | null)[]> {
  const asked = devices.map(([deviceId, from]) => ({ deviceId, from }));
  const records = await store.telemetry.latest(asked);
  return records.map((record) => (record === null ? null : (record.value["name"] as string)));
}

/** Cases for `TelemetryStore.latest`. */
export const latestCases: readonly StoreCase[] = [
  toCase(
    "latest: returns null for a device without records and for an unknown device",
    async ([a, b]) => {
      await registerSampleDevice(a, "gw-1");
      await registerSampleDevice(a, "gw-2");
      await send(a, "gw-2", 100, 200);
      expect(await latest(b, ["gw-1", 0], ["nobody", 0], ["GW-2", 0])).toEqual([null, null, null]);
      expect(await latest(b)).toEqual([]);
    },
  ),

  toCase("latest: returns the record that was measured last, with every field", async ([a, b]) => {
    await registerSampleDevice(a, "gw-1");
    await send(a, "gw-1", 300, 1_000);
    await send(b, "gw-1", 500, 1_001);
    await send(a, "gw-1", 400, 1_002);
    const [, newest] = await a.telemetry.read({ deviceId: "gw-1", after: 0, limit: 9 });
    expect(newest).toMatchObject({ at: 500, receivedAt: 1_001 });
    expect(await b.telemetry.latest([{ deviceId: "gw-1", from: 0 }])).toEqual([newest]);
  }),

  toCase("latest: of records of the same time, returns the last to arrive", async ([a, b]) => {
    await registerSampleDevice(a, "gw-1");
    for (const name of ["b", "c", "a"]) await send(a, "gw-1", 100, 200, name);
    expect(await latest(b, ["gw-1", 0])).toEqual(["a"]);
  }),

  toCase(
    "latest: returns only a record measured and received since the given time",
    async ([a, b]) => {
      await registerSampleDevice(a, "gw-1");
      await send(a, "gw-1", 100, 900, "measured early");
      await send(a, "gw-1", 450, 460, "first");
      await send(a, "gw-1", 600, 500, "measured ahead, received early");
      for (const [from, name] of [
        [0, "measured ahead, received early"],
        [500, "measured ahead, received early"],
        [501, null],
        [600, null],
      ] as const) {
        expect(await latest(b, ["gw-1", from])).toEqual([name]);
      }
      await send(a, "gw-1", 550, 700, "both");
      expect(await latest(b, ["gw-1", 501])).toEqual(["both"]);
      expect(await latest(b, ["gw-1", 550])).toEqual(["both"]);
      expect(await latest(b, ["gw-1", 551])).toEqual([null]);
    },
  ),

  toCase("latest: returns several devices in the order of the request", async ([a, b]) => {
    for (let n = 0; n < 5; n++) {
      await registerSampleDevice(a, `gw-${n}`);
      if (n !== 2) await send(n % 2 ? a : b, `gw-${n}`, 100 + n, 200, `${n}`);
    }
    const asked = [4, 2, 0, 3, 1, 4].map((n) => [`gw-${n}`, n === 3 ? 104 : 0] as const);
    expect(await latest(a, ...asked)).toEqual(["4", null, "0", null, "1", "4"]);
    const many = Array.from({ length: 500 }, (_, n) => [`gw-${n}`, 0] as const);
    expect((await latest(b, ...many)).filter((name) => name !== null)).toEqual([
      "0",
      "1",
      "3",
      "4",
    ]);
  }),
];
