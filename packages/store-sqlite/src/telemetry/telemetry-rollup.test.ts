import type { GatewayStore } from "@device-gateway/core/store";
import { sampleDevice, sampleEvent, sampleRecord, sampleTime } from "@device-gateway/testing";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openSqliteStore } from "../open-sqlite-store.js";
import { createTemporaryFile } from "../testing/temporary-file.js";

const hour = 3_600_000;
const start = Math.floor(sampleTime / hour) * hour;
const range = { deviceId: "gw-1", from: start, to: start + hour, receivedFrom: 0 };
const selection = { names: ["n"], prefixes: [], topLevel: false };

let temporary: ReturnType<typeof createTemporaryFile>;
let store: GatewayStore;
beforeEach(async () => {
  temporary = createTemporaryFile();
  store = await openSqliteStore(temporary);
  const registration = { device: sampleDevice("gw-1"), event: sampleEvent("gw-1") };
  await store.devices.register(registration);
});
afterEach(async () => {
  await store.close();
  temporary.remove();
});

async function send(from: number, count: number): Promise<void> {
  const records = Array.from({ length: count }, (_, i) => {
    const n = from + i;
    return sampleRecord({ at: start + n, isTimed: false, value: { n } });
  });
  await store.telemetry.append({ deviceId: "gw-1", receivedAt: start, records, once: null });
}

async function rollUp(before = start + 2 * hour): Promise<number> {
  for (;;) {
    const { built, more } = await store.telemetry.rollUp({ before, limit: 10 });
    if (!more) return built;
  }
}

const countOf = async () => {
  const [bucket] = await store.telemetry.aggregate({ ...range, intervalMs: hour, selection });
  return bucket?.count;
};

function queryValue<Value>(sql: string): Value {
  const database = new Database(temporary.file);
  const value = database.prepare(sql).pluck().get() as Value;
  database.close();
  return value;
}

it("includes records that arrive while a large hour is rolled up, and does not block them", async () => {
  await send(0, 5_000);
  await store.telemetry.rollUp({ before: start, limit: 1 });
  while ((await store.telemetry.rollUp({ before: start, limit: 1 })).more);
  let appended = 0;
  const rolling = rollUp();
  // The hour has ten pages. Other calls run between two of them.
  for (let n = 0; n < 5; n++) {
    await send(5_000 + 10 * n, 10);
    appended += 10;
  }
  await rolling;
  expect(await countOf()).toBe(5_000 + appended);
  await rollUp();
  expect(await countOf()).toBe(5_000 + appended);
  expect(queryValue<number>("SELECT count(*) FROM telemetry_open_hours")).toBe(0);
});

it("stores no roll-up of a device that is erased meanwhile", async () => {
  await send(0, 3_000);
  while ((await store.telemetry.rollUp({ before: start, limit: 1 })).more);
  const rolling = rollUp();
  const event = { ...sampleEvent("gw-1"), kind: "device.erased" as const };
  await store.devices.erase({ deviceId: "gw-1", block: false, event });
  await rolling;
  for (const table of ["telemetry", "telemetry_rollups", "telemetry_open_hours"]) {
    expect(queryValue<number>(`SELECT count(*) FROM ${table}`)).toBe(0);
  }
});

it("stores digests only for instants with many records, and deletes expired ones", async () => {
  const at = start + 1;
  const records = Array.from({ length: 20 }, (_, n) => sampleRecord({ at, value: { n } }));
  const input = { deviceId: "gw-1", receivedAt: start, once: null };
  await store.telemetry.append({ ...input, records: records.slice(0, 8) });
  expect(queryValue<number>("SELECT count(*) FROM telemetry_crowds")).toBe(0);
  await store.telemetry.append({ ...input, records });
  expect(queryValue<number>("SELECT count(*) FROM telemetry_crowds")).toBe(12);
  expect(await store.telemetry.append({ ...input, records })).toEqual({
    kind: "appended",
    verdicts: records.map(() => "duplicate"),
  });
  await store.telemetry.prune({ receivedBefore: start + 2, limit: 100 });
  expect(queryValue<number>("SELECT count(*) FROM telemetry_crowds")).toBe(0);
});

it("includes late records of a rolled-up hour, few or many", async () => {
  await send(0, 10);
  await rollUp();
  await send(10, 1);
  expect(await countOf()).toBe(11);
  await send(11, 5_000);
  expect(await countOf()).toBe(5_011);
});
