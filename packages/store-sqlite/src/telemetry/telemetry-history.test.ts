import type { GatewayStore } from "@device-gateway/core/store";
import { sampleDevice, sampleEvent, sampleRecord, sampleTime } from "@device-gateway/testing";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { openSqliteStore } from "../open-sqlite-store.js";
import { countTurns } from "../testing/count-turns.js";
import { createTemporaryFile } from "../testing/temporary-file.js";

const hour = 3_600_000;
const hours = 250;
const start = Math.floor(sampleTime / hour) * hour;
const range = { deviceId: "gw-1", from: start, to: start + hours * hour, receivedFrom: 0 };
const selection = { names: [], prefixes: ["m"], topLevel: false };

let temporary: ReturnType<typeof createTemporaryFile>;
let store: GatewayStore;
beforeEach(async () => {
  temporary = createTemporaryFile();
  store = await openSqliteStore(temporary);
  await store.devices.register({ device: sampleDevice("gw-1"), event: sampleEvent("gw-1") });
  const value = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`m${n}`, n]));
  // Each hour has 20 records.
  for (let n = 0; n < hours * 20; n += 500) {
    const records = Array.from({ length: 500 }, (_, i) =>
      sampleRecord({ at: start + ((n + i) * hour) / 20, isTimed: false, value }),
    );
    await store.telemetry.append({ deviceId: "gw-1", receivedAt: start, records, once: null });
  }
});
afterEach(async () => {
  await store.close();
  temporary.remove();
});

/** Counts the turns of the event loop while a history is read, on a clock that advances by 3 ms whenever it is read. */
async function turnsOf(work: () => Promise<readonly { readonly count: number }[]>) {
  let now = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 3));
  const { outcome, turns } = await countTurns(work);
  clock.mockRestore();
  expect(outcome.reduce((sum, { count }) => sum + count, 0)).toBe(hours * 20 * 40);
  return turns;
}

it("aggregating hours asks for a turn between pieces, and ends when the turn rejects", async () => {
  const query = { ...range, intervalMs: hour, selection };
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => (now += 3));
  let turns = 0;
  const turn = async () => {
    turns += 1;
    if (turns === 5) throw new Error("Nobody waits.");
  };
  await expect(store.telemetry.aggregate(query, turn)).rejects.toThrow("Nobody waits.");
  expect(turns).toBe(5);
});

it("§9 aggregating hours does not block the event loop, before and after they are rolled up", async () => {
  const read = () => store.telemetry.aggregate({ ...range, intervalMs: hour, selection });
  // There are 5,000 records, and the clock is read at least once for each page of 100.
  expect(await turnsOf(read)).toBeGreaterThanOrEqual(20);
  while ((await store.telemetry.rollUp({ before: range.to, limit: 500 })).more);
  // There are 250 hours, and the clock is read after each.
  expect(await turnsOf(read)).toBeGreaterThanOrEqual(100);
});

it("aggregates large roll-ups in parts, with late records in their order", async () => {
  const deviceId = "gw-2";
  await store.devices.register({ device: sampleDevice(deviceId), event: sampleEvent(deviceId) });
  const long = (n: number) => `m${n}`.padEnd(260, "x");
  const send = async (n: number, first: number) => {
    const names = Array.from({ length: 1_000 }, (_, i) => long(i));
    const value = Object.fromEntries(names.map((name, i) => [name, first + i]));
    const records = [sampleRecord({ at: start + n * hour + first, isTimed: false, value })];
    await store.telemetry.append({ deviceId, receivedAt: start, records, once: null });
  };
  const wanted = { names: [long(0), long(999)], prefixes: [], topLevel: false };
  // The buckets begin at midnight, so most have several hours.
  const query = { ...range, deviceId, intervalMs: 24 * hour, selection: wanted };
  const rollUp = async () => {
    while ((await store.telemetry.rollUp({ before: range.to, limit: 500 })).more);
  };
  // A roll-up has 280 KB, so a part has four of them.
  for (let n = 0; n < 10; n++) await send(n, 1);
  const before = await store.telemetry.aggregate(query);
  expect(before.reduce((sum, { count }) => sum + count, 0)).toBe(20);
  await rollUp();
  expect(await store.telemetry.aggregate(query)).toEqual(before);
  for (const n of [0, 4, 9, 12]) await send(n, 2);
  const late = await store.telemetry.aggregate(query);
  expect(late.reduce((sum, { count }) => sum + count, 0)).toBe(28);
  await rollUp();
  expect(await store.telemetry.aggregate(query)).toEqual(late);
});
