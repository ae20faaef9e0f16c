import { type GatewayStore, StoreUnavailableError } from "@device-gateway/core/store";
import {
  readRecordValues,
  sampleDevice,
  sampleEvent,
  sampleRecord,
  sampleTime,
} from "@device-gateway/testing";
import type { Client } from "pg";
import { describe, expect, it, vi } from "vitest";
import { limitDeletions } from "../../testing/limit-deletions.js";
import { useStoreAndClient } from "../../testing/use-store-and-client.js";

const hourMs = 3_600_000;
const start = Math.floor(sampleTime / hourMs) * hourMs;
/** The maximum number of rows that one statement may delete. */
const step = 1_000;
const unbounded = [
  "telemetry",
  "telemetry_open_hours",
  "telemetry_rollups",
  "telemetry_crowds",
  "telemetry_keys",
];

const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
let store: GatewayStore;
/** Inspects the tables, and holds locks as long as the test wants. */
let other: Client;
let first: number;
let second: number;
useStoreAndClient(
  async (opened) => {
    ({ store, other } = opened);
    for (const deviceId of ["gw-1", "gw-2", "gw-3"]) {
      const device = sampleDevice(deviceId);
      await store.devices.register({ device, event: sampleEvent(deviceId) });
      await send(deviceId);
    }
    first = await numberOf("gw-1");
    second = await numberOf("gw-2");
    logger.warn.mockClear();
  },
  { logger },
);

const send = (deviceId: string, value = {}) =>
  store.telemetry.append({
    ...{ deviceId, receivedAt: start, once: null },
    records: [sampleRecord({ at: start, value })],
  });
const erase = (deviceId: string) =>
  store.devices.erase({ deviceId, block: false, event: sampleEvent(deviceId) });
const prune = () => store.telemetry.prune({ receivedBefore: 0, limit: 500 });
const recorded = { kind: "recorded" };

async function ask(sql: string): Promise<number> {
  const { rows } = await other.query<{ n: number }>(sql);
  return rows[0]?.n ?? 0;
}
const count = (table: string, where = "true") =>
  ask(`SELECT count(*)::int AS n FROM device_gateway.${table} WHERE ${where}`);
const numberOf = (deviceId: string) =>
  ask(`SELECT number AS n FROM device_gateway.device_activity WHERE device_id = '${deviceId}'`);
const countOf = async (device: number) => {
  const tables = [...unbounded, "telemetry_shape_uses", "telemetry_erased"];
  const counts = [];
  for (const table of tables) counts.push(await count(table, `device = ${device}`));
  return counts.reduce((sum, rows) => sum + rows);
};

/** Prunes until the device's data is deleted, because retention continues the deletion. */
const expectCleared = (device: number) =>
  expect.poll(async () => ((await prune()) === 0 ? countOf(device) : -1)).toBe(0);

/** Fills every telemetry table as if the device had sent that many records. */
const fill = (device: number, rows: number) =>
  other.query(
    `INSERT INTO device_gateway.telemetry
     SELECT nextval('device_gateway.telemetry_positions'), ${start} + n, ${start}, NULL, ${device},
       NULL, true, '{"n":1}' FROM generate_series(1, ${rows}) AS n;
     INSERT INTO device_gateway.telemetry_open_hours
     SELECT ${device}, ${start} - n * ${hourMs}::bigint FROM generate_series(1, ${rows}) AS n;
     INSERT INTO device_gateway.telemetry_rollups
     SELECT ${device}, ${start} - n * ${hourMs}::bigint, NULL, '{}' FROM generate_series(1, ${rows}) AS n;
     INSERT INTO device_gateway.telemetry_crowds
     SELECT ${device}, ${start}, 'digest ' || n, NULL FROM generate_series(1, ${rows}) AS n;
     INSERT INTO device_gateway.telemetry_keys
     SELECT ${device}, 'key ' || n, 'f', 0, '[]', '' FROM generate_series(1, ${rows}) AS n`,
  );

/** Makes the deletion of the device's rows in a table fail. */
const refuse = (device: number, table: string) =>
  other.query(`CREATE FUNCTION pg_temp.refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE 'not now' USING ERRCODE = 'lock_not_available'; END $$;
    CREATE TRIGGER refuse BEFORE DELETE ON device_gateway.${table} FOR EACH ROW
    WHEN (old.device = ${device}) EXECUTE FUNCTION pg_temp.refuse()`);
const allow = (table: string) => other.query(`DROP TRIGGER refuse ON device_gateway.${table}`);
const warning = [
  { err: expect.any(StoreUnavailableError), failures: 1 },
  expect.stringMatching(/erased devices/),
];

it("erased data is deleted from every table in steps, completely", async () => {
  await fill(first, 2_500);
  for (const table of unbounded) await limitDeletions(other, table, step);
  expect(await erase("gw-1")).toEqual(recorded);
  await expectCleared(first);
  expect(logger.warn).not.toHaveBeenCalled();
  expect(await readRecordValues(store, "gw-2")).toHaveLength(1);
});

it("erased data is deleted in steps while others send", async () => {
  await fill(first, 12_000);
  const [erased, ...sent] = await Promise.all([
    erase("gw-1"),
    ...Array.from({ length: 20 }, (_, n) => send("gw-2", { n })),
  ]);
  expect(erased).toEqual(recorded);
  expect(sent).toEqual(Array(20).fill({ kind: "appended", verdicts: ["stored"] }));
  await expectCleared(first);
  expect(await readRecordValues(store, "gw-2")).toHaveLength(21);
});

it("erase succeeds even if records cannot be deleted yet: they are unreachable, and deleted later", async () => {
  await fill(first, 2_500);
  await refuse(first, "telemetry");
  expect(await erase("gw-1")).toEqual(recorded);
  await store.devices.register({ device: sampleDevice("gw-1"), event: sampleEvent("gw-1") });
  expect(await readRecordValues(store, "gw-1"), "of the former one").toEqual([]);
  expect(await prune(), "goes on").toBe(0);
  expect(await count("telemetry", `device = ${first}`)).toBe(2_501);
  await send("gw-1", { mine: 1 });
  await allow("telemetry");
  await expectCleared(first);
  expect(await readRecordValues(store, "gw-1")).toEqual([{ mine: 1 }]);
});

describe("a device whose data cannot be deleted", () => {
  it("does not block retention", async () => {
    await refuse(first, "telemetry_open_hours");
    expect(await erase("gw-1")).toEqual(recorded);
    const pruned = await store.telemetry.prune({ receivedBefore: start + 1, limit: 500 });
    expect(pruned, "a record of each device").toBe(3);
  });

  it("does not block other devices, and is logged", async () => {
    await refuse(first, "telemetry_open_hours");
    expect(await erase("gw-1")).toEqual(recorded);
    expect(logger.warn.mock.calls).toEqual([warning]);
    expect(await erase("gw-2")).toEqual(recorded);
    expect(await countOf(second)).toBe(0);
    await prune();
    expect(logger.warn.mock.calls, "each time").toEqual([warning, warning, warning]);
    await allow("telemetry_open_hours");
    await prune();
    expect(await countOf(first)).toBe(0);
    expect(await readRecordValues(store, "gw-3")).toHaveLength(1);
  });

  it("does not block other devices when it takes all the time", async () => {
    await other.query(`BEGIN; SELECT FROM device_gateway.telemetry_open_hours
      WHERE device = ${first} FOR UPDATE`);
    expect(await erase("gw-1")).toEqual(recorded);
    expect(await erase("gw-2")).toEqual(recorded);
    expect(await countOf(second)).toBe(0);
    await other.query("COMMIT");
    await prune();
    expect(await countOf(first)).toBe(0);
  });

  it("is not rolled up", async () => {
    await refuse(first, "telemetry_open_hours");
    expect(await erase("gw-1")).toEqual(recorded);
    const rolledUp = await store.telemetry.rollUp({ before: start + hourMs, limit: 9 });
    expect(rolledUp).toEqual({ built: 2, more: false });
  });
});

it("deleting erased data does not delete a shape that a running roll-up uses", async () => {
  await send("gw-1", { mine: 1 });
  const shape = await ask("SELECT max(id) AS n FROM device_gateway.telemetry_shapes");
  // Acts like a roll-up of two devices: it has closed an hour of the first device ...
  await other.query(`BEGIN; SET LOCAL lock_timeout = '300ms';
    DELETE FROM device_gateway.telemetry_open_hours WHERE device = ${first}`);
  const erasing = erase("gw-1");
  const waiting = `SELECT count(*)::int AS n FROM pg_locks
    WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))`;
  await expect.poll(() => ask(waiting)).toBeGreaterThan(0);
  // ... and records the use of a shape by the second.
  await other.query(
    `INSERT INTO device_gateway.telemetry_shape_uses VALUES (${second}, ${shape}, 'hour', 0)`,
  );
  await other.query("COMMIT");
  expect(await erasing).toEqual(recorded);
  expect(await countOf(first)).toBe(0);
  expect(await count("telemetry_shapes", `id = ${shape}`)).toBe(1);
});
