import type { GatewayStore, JsonObject } from "@device-gateway/core/store";
import {
  readRecordValues,
  sampleDevice,
  sampleEvent,
  sampleRecord,
  sampleTime,
} from "@device-gateway/testing";
import { Client } from "pg";
import { describe, expect, it, vi } from "vitest";
import { openPostgresStore } from "../open-postgres-store.js";
import { limitDeletions } from "../testing/limit-deletions.js";
import { useStoreAndClient } from "../testing/use-store-and-client.js";

const dayMs = 86_400_000;
const today = Math.floor(sampleTime / dayMs);
const oldDay = today - 100;
const oldTime = oldDay * dayMs;
/** With this limit, all records of the old day that arrived in time are expired. */
const receivedBefore = oldTime + 2 * dayMs;

let store: GatewayStore;
/** Another client, which holds locks as long as the test wants. */
let other: Client;
let url: string;
useStoreAndClient(async (opened) => {
  ({ store, other, url } = opened);
  for (const deviceId of ["gw-1", "gw-2"]) {
    await store.devices.register({ device: sampleDevice(deviceId), event: sampleEvent(deviceId) });
  }
});

let seq = 0;
function send(deviceId: string, value: JsonObject, at = sampleTime) {
  const records = [sampleRecord({ at, seq: seq++, value })];
  return store.telemetry.append({ deviceId, receivedAt: sampleTime, records, once: null });
}
const stored = { kind: "appended", verdicts: ["stored"] };

async function count(table: string, where = "true"): Promise<number> {
  const { rows } = await other.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM device_gateway.${table} WHERE ${where}`,
  );
  return rows[0]?.n ?? 0;
}

const numberOf = (deviceId: string): string =>
  `(SELECT number FROM device_gateway.device_activity WHERE device_id = '${deviceId}')`;

interface Filling {
  /** Default: the old day. */
  readonly day?: number;
  /** An SQL expression for the content of late records. */
  readonly lateContent?: string;
}

/** Inserts records of a day, of which the first arrived in time and the rest late. */
const fill = (
  deviceId: string,
  inTime: number,
  late: number,
  { day = oldDay, lateContent = `'{"bulk":1}'` }: Filling = {},
) =>
  other.query(
    `SELECT device_gateway.make_telemetry_partition(${day});
     INSERT INTO device_gateway.telemetry
     SELECT nextval('device_gateway.telemetry_positions'), ${day * dayMs} + n,
       CASE WHEN n <= ${inTime} THEN ${day * dayMs} + n ELSE ${receivedBefore} + n END,
       NULL, ${numberOf(deviceId)}, NULL, true,
       convert_to(CASE WHEN n <= ${inTime} THEN '{"bulk":1}' ELSE ${lateContent} END, 'UTF8')
     FROM generate_series(1, ${inTime + late}) AS n`,
  );
const inOldDay = `at < ${oldTime + dayMs}`;
const prune = (before = receivedBefore) =>
  store.telemetry.prune({ receivedBefore: before, limit: 500 });

/** Runs a statement in an open transaction. The returned function commits it. */
async function beginElsewhere(sql: string) {
  await other.query("BEGIN");
  await other.query(sql);
  return () => other.query("COMMIT");
}

it("creates tomorrow's partition when it rolls up", async () => {
  await store.telemetry.rollUp({ before: sampleTime, limit: 9 });
  const name = `device_gateway.telemetry_${today + 1}`;
  const { rows } = await other.query("SELECT to_regclass($1) IS NOT NULL AS there", [name]);
  expect(rows).toEqual([{ there: true }]);
});

it("creates no partition of an earlier day when it rolls up old hours", async () => {
  await store.telemetry.rollUp({ before: sampleTime, limit: 9 });
  const restarted = await openPostgresStore({ url, poolSize: 1 });
  await restarted.telemetry.rollUp({ before: sampleTime - 50 * dayMs, limit: 9 });
  await restarted.close();
  const name = `device_gateway.telemetry_${today - 50}`;
  const { rows } = await other.query("SELECT to_regclass($1) IS NOT NULL AS there", [name]);
  expect(rows).toEqual([{ there: false }]);
});

it("stores any number of records with the same number of statements", async () => {
  const sendMany = (records: number) =>
    Promise.all(
      ["gw-1", "gw-2"].map((deviceId) =>
        store.telemetry.append({
          ...{ deviceId, receivedAt: sampleTime, once: null },
          records: Array.from({ length: records }, () => sampleRecord({ at: sampleTime - seq++ })),
        }),
      ),
    );
  await sendMany(1);
  const query = vi.spyOn(Client.prototype, "query");
  await sendMany(1);
  const few = query.mock.calls.length;
  await sendMany(240);
  expect(query.mock.calls.length - few).toBe(few);
  expect(few).toBeLessThan(15);
});

describe("a day with many expired records", () => {
  it("is emptied at once, except for late records", async () => {
    await fill("gw-1", 10_500, 300);
    await send("gw-2", { now: 1 });
    expect(await prune()).toBeGreaterThan(10_000);
    expect(await count("telemetry", inOldDay)).toBe(300);
    expect(await prune()).toBe(0);
    expect(await readRecordValues(store, "gw-2")).toEqual([{ now: 1 }]);
    expect(await prune(receivedBefore + 20_000)).toBe(300);
    await prune(receivedBefore + 20_000);
    const { rows } = await other.query(`SELECT to_regclass('device_gateway.telemetry_${oldDay}')`);
    expect(rows, "a day without records has no table").toEqual([{ to_regclass: null }]);
  });

  it("does not block appends and reads of other days while it is emptied", async () => {
    await fill("gw-1", 10_500, 300);
    await send("gw-1", { before: 1 });
    const clear = `SELECT device_gateway.clear_telemetry_partition(${oldDay}, ${receivedBefore})`;
    const end = await beginElsewhere(clear);
    expect(await send("gw-1", { meanwhile: 1 })).toEqual(stored);
    const range = { deviceId: "gw-1", from: sampleTime - dayMs, to: sampleTime + 1 };
    const samples = await store.telemetry.samples({
      ...range,
      ...{ receivedFrom: 0, order: "oldest_first", after: null, limit: 9 },
    });
    expect(samples.map(({ value }) => value)).toEqual([{ before: 1 }, { meanwhile: 1 }]);
    await store.telemetry.rollUp({ before: sampleTime, limit: 9 });
    // A record for the locked day waits and is stored.
    const late = send("gw-2", { late: 1 }, oldTime + 5);
    await end();
    expect(await late).toEqual(stored);
    expect(await count("telemetry", inOldDay)).toBe(301);
  });

  it("waits while it has too many late records, and does not block other days", async () => {
    await fill("gw-1", 10_500, 10_500);
    await send("gw-1", { old: 1 }, oldTime - dayMs);
    await other.query(
      `UPDATE device_gateway.telemetry SET received_at = ${oldTime} WHERE at < ${oldTime}`,
    );
    // Records of a day can be received up to a day before it.
    await other.query(
      `UPDATE device_gateway.telemetry_shape_uses SET used_to = ${oldTime - dayMs}`,
    );
    expect(await prune(), "the day before it").toBe(1);
    expect(await count("telemetry")).toBe(21_000);
    expect(await count("telemetry_shapes"), "a day that waits may need them").toBe(1);
    // With a later limit, fewer records are late.
    expect(await prune(receivedBefore + 12_001)).toBeGreaterThan(10_000);
    expect(await count("telemetry")).toBe(9_000);
  });
});

describe("a day that cannot be emptied", () => {
  const nextDay = `at >= ${oldTime + dayMs}`;

  it("waits if its late records are too large to be put back in time, and does not block other days", async () => {
    const lateContent = `'{"text":"' || repeat('x', 250000) || '"}'`;
    await fill("gw-1", 10_500, 100, { lateContent });
    await fill("gw-2", 10_500, 0, { day: oldDay + 1 });
    expect(await prune()).toBeGreaterThan(10_000);
    expect(await count("telemetry", nextDay)).toBe(0);
    expect(await count("telemetry", inOldDay)).toBe(10_600);
    // With a later limit, fewer records are late.
    expect(await prune(receivedBefore + 10_560)).toBeGreaterThan(10_000);
    expect(await count("telemetry", inOldDay)).toBe(41);
  });

  it("is reported at the end, after everything else that is expired", async () => {
    await fill("gw-1", 10_500, 0);
    await fill("gw-2", 10_500, 0, { day: oldDay + 1 });
    await other.query(
      `INSERT INTO device_gateway.telemetry_crowds VALUES (1000000, ${oldTime}, 'digest', NULL)`,
    );
    const end = await beginElsewhere(
      `LOCK TABLE device_gateway.telemetry_${oldDay} IN ACCESS SHARE MODE`,
    );
    expect(await prune()).toBeGreaterThan(10_000);
    expect(await count("telemetry", nextDay)).toBe(0);
    await expect(prune()).rejects.toThrow("lock timeout");
    expect(await count("telemetry_crowds")).toBe(0);
    expect(await count("telemetry", inOldDay)).toBe(10_500);
    await end();
    expect(await prune()).toBeGreaterThan(10_000);
    expect(await count("telemetry")).toBe(0);
  });
});

/**
 * A number that no device has. `fillUses` gives it 700 uses that ended before a time, and one that
 * did not.
 */
const nobody = 1_000_000;
const fillUses = (kind: string, before: number) =>
  other.query(
    `WITH added AS (
       INSERT INTO device_gateway.telemetry_shapes (id, skeleton)
       SELECT n + 1, '${kind} ' || n FROM generate_series(0, 700) AS n RETURNING id
     )
     INSERT INTO device_gateway.telemetry_shape_uses
     SELECT ${nobody}, id, '${kind}', ${before} - (SELECT max(id) FROM added) + id FROM added`,
  );

describe("data that belongs to records", () => {
  it("is deleted in steps when it is expired, even if a day waits", async () => {
    await fill("gw-1", 10_500, 10_500);
    await fillUses("record", oldTime - dayMs);
    await other.query(
      `INSERT INTO device_gateway.telemetry_crowds
       SELECT ${nobody}, ${receivedBefore} - n, 'digest ' || n, NULL FROM generate_series(0, 700) AS n`,
    );
    for (const table of ["telemetry_crowds", "telemetry_shape_uses", "telemetry_shapes"]) {
      await limitDeletions(other, table, 500);
    }
    expect(await prune()).toBe(0);
    expect(await count("telemetry")).toBe(21_000);
    expect(await count("telemetry_crowds")).toBe(1);
    expect(await count("telemetry_shape_uses"), "one may have records of that day").toBe(1);
    expect(await count("telemetry_shapes")).toBe(1);
  });

  it("is deleted in steps with expired hours", async () => {
    await fillUses("hour", oldTime);
    await limitDeletions(other, "telemetry_shape_uses", 500);
    expect(await store.telemetry.pruneRollUps({ before: oldTime, limit: 500 })).toBe(0);
    expect(await count("telemetry_shape_uses")).toBe(1);
  });
});

describe("a day that is not fully expired", () => {
  const midday = oldTime + dayMs / 2;

  it("loses expired records one by one if it has few", async () => {
    await fill("gw-1", 1_000, 9_000);
    await send("gw-1", { now: 1 });
    expect(await prune(oldTime + 601)).toBe(500);
    expect(await prune(oldTime + 601)).toBe(100);
    expect(await prune(oldTime + 601)).toBe(0);
    expect(await count("telemetry", inOldDay)).toBe(9_400);
    await other.query("ANALYZE device_gateway.telemetry");
    expect(await prune(oldTime + 701)).toBe(100);
  });

  it.each(["ANALYZE", "SELECT"])(
    "keeps expired records until it is emptied at once if it has many (%s)",
    async (first) => {
      await fill("gw-1", 10_500, 0);
      await send("gw-1", { now: 1 }, oldTime + 1);
      const shapes = await count("telemetry_shapes");
      await other.query(first);
      // As if the record was sent then, and its use ended right after.
      await other.query(`UPDATE device_gateway.telemetry SET received_at = at;
      UPDATE device_gateway.telemetry_shape_uses SET used_to = ${oldTime + 2}`);
      expect(await prune(midday)).toBe(0);
      expect(await count("telemetry", inOldDay)).toBe(10_501);
      expect(await count("telemetry_shapes"), "its records still need them").toBe(shapes);
      expect(await prune(oldTime + dayMs)).toBeGreaterThan(10_000);
      expect(await count("telemetry")).toBe(0);
    },
  );

  it("keeps records dated ahead, and days do not block each other", async () => {
    await fill("gw-1", 10_500, 0);
    await send("gw-1", { ahead: 1 }, oldTime + dayMs + 5);
    await send("gw-1", { before: 1 }, oldTime - 5);
    await other.query(`UPDATE device_gateway.telemetry SET received_at = ${oldTime}`);
    expect(await prune(midday), "the day before, and the day after").toBe(2);
    expect(await count("telemetry", inOldDay)).toBe(10_500);
  });
});
