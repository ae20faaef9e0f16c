import type { GatewayStore } from "@device-gateway/core/store";
import {
  readRecordValues,
  sampleAppendOnce,
  sampleDevice,
  sampleEvent,
  sampleRecord,
  sampleTime,
} from "@device-gateway/testing";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { openSqliteStore } from "../../open-sqlite-store.js";
import { createTemporaryFile } from "../../testing/temporary-file.js";

const hour = 3_600_000;
const start = Math.floor(sampleTime / hour) * hour;
const deviceId = "gw-1";
const appended = { kind: "appended", verdicts: ["stored"] };
const erased = [
  "telemetry",
  "telemetry_rollups",
  "telemetry_open_hours",
  "telemetry_crowds",
  "telemetry_keys",
  "telemetry_shape_uses",
];

const rules = {
  ...{ maxFailures: 3, maxAttempts: 5, attemptWindowMs: 1, blockMs: 1, timeoutMs: 1 },
  ...{ silenceMs: 1, toleratedShare: 0.02 },
};

const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
let temporary: ReturnType<typeof createTemporaryFile>;
let store: GatewayStore;
let rawDatabase: Database.Database;
beforeEach(async () => {
  temporary = createTemporaryFile();
  logger.warn.mockClear();
  store = await openSqliteStore({ ...temporary, logger });
  rawDatabase = new Database(temporary.file);
  for (const id of ["gw-2", deviceId]) {
    await register(id);
    await send(id, { first: 1 });
  }
});
afterEach(async () => {
  rawDatabase.close();
  await store.close();
  temporary.remove();
});

const register = (id: string) =>
  store.devices.register({ device: sampleDevice(id), event: sampleEvent(id) });

async function send(id: string, value: { readonly [name: string]: number }, key?: string) {
  const records = [sampleRecord({ at: start, isTimed: false, value })];
  const once = key === undefined ? null : sampleAppendOnce(key);
  return store.telemetry.append({ deviceId: id, receivedAt: start, records, once });
}

const erase = () =>
  store.devices.erase({
    deviceId,
    block: false,
    event: { ...sampleEvent(deviceId), kind: "device.erased" },
  });

const count = (table: string, where = "1") =>
  rawDatabase.prepare(`SELECT count(*) FROM ${table} WHERE ${where}`).pluck().get() as number;
const numberOf = (id: string) =>
  rawDatabase.prepare("SELECT number FROM devices WHERE device_id = ?").pluck().get(id) as number;

/** Fills every telemetry table as if the device had sent that many records. */
function fill(rows: number): void {
  const number = numberOf(deviceId);
  const numbers = `WITH RECURSIVE numbers (n) AS
    (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${rows - 1})`;
  rawDatabase.exec(`BEGIN;
    INSERT INTO telemetry (device, at, received_at, seq, timed, shape, content)
    ${numbers} SELECT ${number}, ${start} + n, ${start}, NULL, 0, NULL, CAST('{"n":1}' AS BLOB) FROM numbers;
    INSERT INTO telemetry_rollups (device, hour, shape, content)
    ${numbers} SELECT ${number}, ${start} - (n + 1) * ${hour}, NULL, CAST('{}' AS BLOB) FROM numbers;
    INSERT INTO telemetry_open_hours (device, hour)
    ${numbers} SELECT ${number}, ${start} - (n + 1) * ${hour} FROM numbers;
    INSERT INTO telemetry_crowds (device, at, seq, digest)
    ${numbers} SELECT ${number}, ${start}, n, 'digest' FROM numbers;
    COMMIT`);
}

/** Makes the deletion of matching rows fail. */
const refuse = (table: string, column: string, value: number | string) =>
  rawDatabase.exec(`CREATE TRIGGER refuse BEFORE DELETE ON ${table} WHEN old.${column} = ${value}
    BEGIN SELECT raise(ABORT, 'not now'); END`);

const expectEmpty = (table: string) => expect.poll(() => count(table)).toBe(0);
const expectGone = async (number: number) => {
  await expectEmpty("telemetry_erased");
  for (const table of erased) expect(count(table, `device = ${number}`), table).toBe(0);
};

it("erased data is deleted in steps while others send, completely", async () => {
  const number = numberOf(deviceId);
  fill(2_000);
  const erasing = erase();
  const left: number[] = [];
  for (let n = 0; n < 5; n++) {
    expect(await send("gw-2", { n })).toEqual(appended);
    left.push(count("telemetry", `device = ${number}`));
  }
  expect(left[0], "others had their turn between the steps").toBeGreaterThan(0);
  expect(new Set(left).size).toBeGreaterThan(1);
  expect(await erasing).toEqual({ kind: "recorded" });
  await expectGone(number);
  expect(await readRecordValues(store, "gw-2")).toHaveLength(6);
});

it("erase succeeds even if records cannot be deleted yet: they are unreachable, and deleted later", async () => {
  const number = numberOf(deviceId);
  await send(deviceId, { keyed: 1 }, "key");
  fill(900);
  while ((await store.telemetry.rollUp({ before: 0, limit: 500 })).more);
  // One more record, which the roll-up has not processed yet.
  await send(deviceId, { late: 1 });
  refuse("telemetry", "device", number);
  expect(await erase()).toEqual({ kind: "recorded" });
  expect(logger.warn).toHaveBeenCalledWith(
    { err: expect.objectContaining({ message: "not now" }) },
    expect.stringMatching(/erased devices/),
  );
  await register(deviceId);
  const range = { deviceId, from: 0, to: start * 2, receivedFrom: 0 };
  const selection = { names: [], prefixes: [""], topLevel: true };
  const expectOwn = async (own: readonly object[]) => {
    const { telemetry } = store;
    expect(await readRecordValues(store, deviceId)).toEqual(own);
    expect(await telemetry.count({ ...range, atMost: 9_999 })).toBe(own.length);
    const page = { ...range, order: "newest_first" as const, after: null, limit: 9 };
    expect(await telemetry.samples(page)).toHaveLength(own.length);
    expect(await telemetry.aggregate({ ...range, intervalMs: hour, selection })).toHaveLength(
      own.length,
    );
    const [latest] = await telemetry.latest([{ deviceId, from: 0 }]);
    expect(latest?.value).toEqual(own.at(-1));
  };
  await expectOwn([]);
  expect(await store.telemetry.reopenHours(range)).toEqual({ reopened: 0, kept: 0 });
  expect(await send(deviceId, { mine: 1 }, "key"), "a key of its own").toEqual(appended);
  await expectOwn([{ mine: 1 }]);
  const rolled = await store.telemetry.rollUp({ before: start + 2 * hour, limit: 500 });
  expect(rolled, "the hours of those who are there").toEqual({ built: 2, more: false });
  const prune = { receivedBefore: start + 1, limit: 1 };
  expect(await store.telemetry.prune(prune), "goes on").toBe(1);
  expect(count("telemetry", `device = ${number}`)).toBe(903);
  rawDatabase.exec("DROP TRIGGER refuse");
  await store.telemetry.prune({ receivedBefore: 0, limit: 1 });
  await expectGone(number);
  await expectOwn([{ mine: 1 }]);
});

it("makes the OTA events of the erased device unreachable, and no others", async () => {
  let sentCount = 0;
  const sendStatuses = () =>
    store.telemetry.append({
      deviceId,
      receivedAt: start,
      records: [{ at: start, seq: null, isTimed: false, value: {} }],
      once: null,
      otaReports: Array.from({ length: 400 }, () => ({
        record: 0,
        fingerprint: `${++sentCount}`,
        event: {
          ...{ createdAt: start, deviceId, source: "telemetry", state: "failed" },
          ...{ offeredVersion: null, fromVersion: "1.1.0", lastResult: `${sentCount}` },
          ...{ lastCheckSucceeded: true, updateAvailable: false, updateApplied: null },
          ...{ progress: null, message: null },
        },
        rules,
      })),
    });
  const list = () =>
    store.otaEvents.list({ deviceId, from: 0, before: Number.MAX_SAFE_INTEGER, limit: 5_000 });
  await sendStatuses();
  refuse("ota_events", "last_result", "'400'");
  for (let round = 0; round < 2; round++) {
    expect(await erase()).toEqual({ kind: "recorded" });
    await register(deviceId);
    expect(await list()).toEqual([]);
    await sendStatuses();
    expect(await list()).toHaveLength(400);
  }
  rawDatabase.exec("DROP TRIGGER refuse");
  await store.telemetry.prune({ receivedBefore: 0, limit: 1 });
  await expectEmpty("ota_events_erased");
  expect(count("ota_events")).toBe(400);
  expect(await list()).toHaveLength(400);
});

it("leaves no data of a device that was dropped", async () => {
  const number = numberOf(deviceId);
  const event = { ...sampleEvent(deviceId), kind: "device.dropped" as const };
  const drop = { deviceId, registeredBefore: Number.MAX_SAFE_INTEGER, limit: 1, event };
  expect(await store.devices.dropUnused(drop)).toEqual([deviceId]);
  expect(count("telemetry", `device = ${number}`)).toBe(0);
  expect(await store.telemetry.prune({ receivedBefore: start + 1, limit: 500 }), "gw-2's").toBe(1);
});

it("the deletion stops when the store closes, and continues when it is opened again", async () => {
  const number = numberOf(deviceId);
  fill(2_000);
  const erasing = erase();
  await store.close();
  expect(await erasing).toEqual({ kind: "recorded" });
  expect(count("telemetry", `device = ${number}`)).toBeGreaterThan(0);
  store = await openSqliteStore(temporary);
  await store.telemetry.prune({ receivedBefore: 0, limit: 1 });
  await expectGone(number);
});

it("never reuses the number of an erased device", async () => {
  const former = numberOf(deviceId);
  await erase();
  await register(deviceId);
  await send(deviceId, { mine: 1 });
  expect(numberOf(deviceId)).toBeGreaterThan(former);
});
