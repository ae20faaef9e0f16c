import type { GatewayStore } from "@device-gateway/core/store";
import { sampleDevice, sampleEvent, sampleRecord, sampleTime } from "@device-gateway/testing";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Connection, openConnection } from "../../database/connection.js";
import { openSqliteStore } from "../../open-sqlite-store.js";
import { createTemporaryFile } from "../../testing/temporary-file.js";
import { createTelemetryStore } from "../telemetry-store.js";

const hour = 3_600_000;
const start = Math.floor(sampleTime / hour) * hour;
const range = { deviceId: "gw-1", from: start, to: start + hour, receivedFrom: 0 };
const selection = { names: ["n"], prefixes: [], topLevel: false };

let temporary: ReturnType<typeof createTemporaryFile>;
let store: GatewayStore;
beforeEach(async () => {
  temporary = createTemporaryFile();
  store = await openSqliteStore(temporary);
  for (const deviceId of ["gw-1", "gw-2"]) {
    await store.devices.register({ device: sampleDevice(deviceId), event: sampleEvent(deviceId) });
  }
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

const muchLater = start + 9 * hour;

/** Sends a record of gw-2 that is an hour later than those of `send`. */
const sendLater = () =>
  store.telemetry.append({
    ...{ deviceId: "gw-2", receivedAt: start, once: null },
    records: [sampleRecord({ at: start + hour, isTimed: false, value: { later: 1 } })],
  });

/** Calls `rollUp` until it has nothing left. */
async function rollUpAll({ telemetry }: Pick<GatewayStore, "telemetry">, limit: number) {
  for (let calls = 0; calls < 20; calls++) {
    if (!(await telemetry.rollUp({ before: muchLater, limit })).more) return;
  }
  throw new Error("The roll-up does not end.");
}

const rolledUp = () =>
  queryValue<string | null>(
    `SELECT group_concat(device_id) FROM (SELECT device_id FROM telemetry_rollups AS r
     JOIN devices AS d ON d.number = r.device ORDER BY device_id)`,
  );

it("an hour that cannot be rolled up does not stop the others, and is reported at the end", async () => {
  await send(0, 1);
  await sendLater();
  const database = new Database(temporary.file);
  database.exec(`UPDATE telemetry SET shape = 999 WHERE at < ${start + hour}`);
  database.close();
  await expect(rollUpAll(store, 1)).rejects.toThrow("Telemetry shape 999 is missing.");
  expect(rolledUp()).toBe("gw-2");
  await expect(rollUpAll(store, 9), "again").rejects.toThrow("Telemetry shape 999 is missing.");
});

it("an hour with very many records is rolled up after all others", async () => {
  await send(0, 10_001);
  await sendLater();
  // The first calls only open the hours.
  while ((await store.telemetry.rollUp({ before: 0, limit: 1 })).more);
  const rollUpSome = () => store.telemetry.rollUp({ before: muchLater, limit: 9 });
  expect(await rollUpSome()).toEqual({ built: 1, more: true });
  expect(rolledUp()).toBe("gw-2");
  expect(await rollUpSome()).toEqual({ built: 1, more: false });
  expect(rolledUp()).toBe("gw-1,gw-2");
  expect(await countOf()).toBe(10_001);
});

it("an hour that gets a record whenever it is read does not keep later hours from being rolled up", async () => {
  await send(0, 1);
  await sendLater();
  const connection = await openConnection(temporary.file);
  let n = 1;
  const disturbed: Connection = {
    ...connection,
    async readStep(work) {
      const read = await connection.readStep(work);
      await send(n++, 1);
      return read;
    },
  };
  const nothing = async () => {};
  await rollUpAll({ telemetry: createTelemetryStore(disturbed, nothing, nothing) }, 1);
  await connection.close();
  expect(rolledUp()).toBe("gw-2");
  await rollUpAll(store, 1);
  expect(rolledUp()).toBe("gw-1,gw-2");
});

it("includes a record that arrives behind thousands of others while its hour is rolled up", async () => {
  await send(0, 1);
  // The first calls only open the hours.
  while ((await store.telemetry.rollUp({ before: 0, limit: 1 })).more);
  const connection = await openConnection(temporary.file);
  let hasArrived = false;
  const disturbed: Connection = {
    ...connection,
    async readStep(work) {
      const read = await connection.readStep(work);
      // False: the hour has no more pages.
      if (read !== false || hasArrived) return read;
      hasArrived = true;
      connection.database.exec(
        `INSERT INTO telemetry (device, at, received_at, timed, content)
         WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 9000)
         SELECT 999, ${start}, 0, 0, CAST('{}' AS BLOB) FROM numbers`,
      );
      await send(1, 1);
      return read;
    },
  };
  const nothing = async () => {};
  const telemetry = createTelemetryStore(disturbed, nothing, nothing);
  expect(await telemetry.rollUp({ before: muchLater, limit: 9 })).toMatchObject({ built: 0 });
  expect(hasArrived).toBe(true);
  await connection.close();
  await rollUp();
  expect(rolledUp()).toBe("gw-1");
  expect(await countOf()).toBe(2);
});
