import { type GatewayStore, StoreUnavailableError } from "@device-gateway/core/store";
import {
  readRecordValues,
  registerSampleDevice,
  sampleRecord,
  sampleRelease,
  sampleSecurityEvent,
  sampleTime,
} from "@device-gateway/testing";
import { Client } from "pg";
import { beforeEach, expect, inject, onTestFinished, test } from "vitest";
import { openPostgresStore } from "../open-postgres-store.js";
import { settleSoon } from "../testing/settle-soon.js";
import { askOn, createTemporaryDatabase, runOn } from "../testing/temporary-database.js";
import { movePostgresStore, undoMovePostgresStore } from "./move-postgres-store.js";
import type { MoveStep } from "./transfer.js";

const schema = "cell_1";
const day = 86_400_000;

let from: string;
let to: string;
beforeEach(async () => {
  const create = async () => {
    const { url, remove } = await createTemporaryDatabase(inject("postgresUrl"));
    onTestFinished(remove);
    return url;
  };
  [from, to] = [await create(), await create()];
});

async function openStore(url: string): Promise<GatewayStore> {
  const store = await openPostgresStore({ url, schema, poolSize: 2 });
  onTestFinished(() => store.close());
  return store;
}

const send = (store: GatewayStore, n: number, at = sampleTime) =>
  store.telemetry.append({
    ...{ deviceId: "gw-1", receivedAt: sampleTime, once: null },
    records: [sampleRecord({ value: { n, name: "ä\t\\N" }, at })],
  });

/** A store with a row in most tables, and records of three days. */
async function fillStore(url: string): Promise<GatewayStore> {
  const store = await openStore(url);
  await registerSampleDevice(store, "gw-1");
  for (const n of [0, 1, 2]) await send(store, n, sampleTime - n * day);
  const event = sampleSecurityEvent("", "release.created");
  await store.releases.create({ release: sampleRelease(), event });
  await store.keepKeyCheck("a cell");
  return store;
}

/** Moves, and stops after a step, as a killed process would. Steps of tables stop at the devices. */
async function moveUntil(last: MoveStep["step"]): Promise<void> {
  const onStep = (step: MoveStep) => {
    if (step.step === last && (!("table" in step) || step.table === "devices"))
      throw new Error("killed");
  };
  await expect(movePostgresStore({ from, to, schema, onStep })).rejects.toThrow("killed");
}

test("§1 a store that moves to another database keeps all rows, ids and positions, also if the move is interrupted after each step", async () => {
  const before = await fillStore(from);
  const [positions, cursor] = [
    await before.telemetry.lastPositions(["gw-1"]),
    await before.telemetry.end(),
  ];
  for (const step of ["fenced", "prepared", "copied", "verified", "handed over"] as const) {
    await moveUntil(step);
    await expect(send(before, 9)).rejects.toThrow(StoreUnavailableError);
    await expect(openStore(from)).rejects.toThrow("is being moved to another database");
  }
  await expect(openStore(to), "nobody uses the target early").rejects.toThrow("is being moved");
  await moveUntil("opened");

  const after = await openStore(to);
  const values = async () => (await readRecordValues(after, "gw-1")).map(({ n }) => n);
  expect(await values()).toEqual([0, 1, 2]);
  expect(await after.telemetry.lastPositions(["gw-1"])).toEqual(positions);
  expect(await after.telemetry.follow({ after: cursor, limit: 9 })).toMatchObject({ records: [] });
  expect(await after.keepKeyCheck("another cell")).toBe("a cell");
  await send(after, 3);
  await registerSampleDevice(after, "gw-2");
  expect(await values()).toEqual([0, 1, 2, 3]);
  const events = await after.securityEvents.list({ after: 0, limit: 9 });
  expect(events.map(({ deviceId }) => deviceId)).toEqual(["gw-1", "", "gw-2"]);

  // A server with a stale map neither writes nor reads, and a repeated command changes nothing.
  await expect(send(before, 9)).rejects.toThrow(StoreUnavailableError);
  await expect(before.devices.find("gw-1")).rejects.toThrow(StoreUnavailableError);
  await expect(before.changes.since(null)).rejects.toThrow(StoreUnavailableError);
  expect(await movePostgresStore({ from, to, schema })).toMatchObject({ wasMoved: true });
  await expect(undoMovePostgresStore({ from, to, schema })).rejects.toThrow("has taken place");
  expect(await values()).toEqual([0, 1, 2, 3]);

  // Moves the store back to the first database, which still has the renamed schema of the first move.
  await movePostgresStore({ from: to, to: from, schema });
  const back = await openStore(from);
  expect((await readRecordValues(back, "gw-1")).length).toBe(4);
  await send(back, 4);
  // The server that was never restarted sees the schema again.
  expect((await readRecordValues(before, "gw-1")).length).toBe(5);
});

test("§1 an interrupted move can be undone until the source is handed over", async () => {
  const store = await fillStore(from);
  await moveUntil("copied");
  expect(await undoMovePostgresStore({ from, to, schema })).toEqual({ left: [] });
  await send(store, 3);
  expect((await readRecordValues(store, "gw-1")).length).toBe(4);
  const left = "SELECT nspname FROM pg_namespace WHERE nspname LIKE '%arriving'";
  expect(await askOn(to, left)).toEqual([]);
  await expect(undoMovePostgresStore({ from, to, schema })).rejects.toThrow("is not being moved");
  expect(await movePostgresStore({ from, to, schema })).toMatchObject({ records: 4 });
});

test("§1 an interrupted move can be undone if the target is lost", async () => {
  const store = await fillStore(from);
  await moveUntil("copied");
  const lost = new URL(to);
  lost.pathname = "/lost";
  const undone = await undoMovePostgresStore({ from, to: lost.href, schema });
  expect(undone).toEqual({ left: [`${schema}__arriving`] });
  await send(store, 3);
  expect((await readRecordValues(store, "gw-1")).length).toBe(4);
});

test("§1 a move waits while the target still works for an earlier call", async () => {
  await fillStore(from);
  const earlier = new Client({ connectionString: to });
  await earlier.connect();
  onTestFinished(() => earlier.end());
  const key = [`device-gateway move ${schema}`];
  await earlier.query("SELECT pg_advisory_lock(hashtextextended($1, 0))", key);
  const moving = movePostgresStore({ from, to, schema });
  const waiting = "SELECT FROM pg_locks WHERE NOT granted AND locktype = 'advisory'";
  await expect.poll(() => askOn(to, waiting)).toHaveLength(1);
  await earlier.query("SELECT pg_advisory_unlock(hashtextextended($1, 0))", key);
  expect(await moving).toMatchObject({ wasMoved: false });
});

test("§1 a move waits for transactions in flight, and later ones of the same connection fail", async () => {
  const store = await fillStore(from);
  const other = new Client({ connectionString: from });
  await other.connect();
  const count = { name: "count", text: `SELECT count(*) FROM ${schema}.devices` };
  const insert = `INSERT INTO ${schema}.blocked_ids VALUES ('gw-9')`;
  await other.query(count);
  await other.query(`BEGIN; ${insert}`);
  const moving = movePostgresStore({ from, to, schema });
  const waiting = "SELECT FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock'";
  await expect.poll(() => askOn(from, waiting)).toHaveLength(1);
  await other.query("COMMIT");
  await moving;
  await expect(other.query(count), "a prepared statement").rejects.toThrow("does not exist");
  await expect(other.query(insert)).rejects.toThrow("does not exist");
  await other.end();
  expect(await askOn(to, `SELECT FROM ${schema}.blocked_ids`)).toHaveLength(1);
  await store.close();
});

// On a busy machine, a call may take too long for another reason. Then the test runs again.
test("§1 while a move waits for a long read, servers use the store nearly as before", {
  retry: 3,
}, async () => {
  const store = await fillStore(from);
  const client = new Client({ connectionString: from });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query(`BEGIN; SELECT FROM ${schema}.telemetry`);
  const moving = movePostgresStore({ from, to, schema });
  const isWaiting = async () => {
    const sql = "SELECT FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND NOT granted";
    return (await askOn(from, sql)).length > 0;
  };
  await expect.poll(isWaiting, { interval: 10 }).toBe(true);
  for (let n = 0; n < 5; n++) {
    expect(await settleSoon(store.devices.find("gw-1"))).not.toBe("unavailable");
  }
  await client.query("COMMIT");
  expect((await moving).wasMoved).toBe(false);
});

test("§1 a move finds rows that differ, and refuses a database that is not its target", async () => {
  await fillStore(from);
  await expect(movePostgresStore({ from, to: from, schema })).rejects.toThrow("the same database");
  await expect(movePostgresStore({ from, to, schema: "cell_2" })).rejects.toThrow("no schema");
  await openPostgresStore({ url: to, schema }).then((store) => store.close());
  await expect(movePostgresStore({ from, to, schema })).rejects.toThrow(
    `already. If nobody needs it: DROP SCHEMA ${schema} CASCADE`,
  );
  await runOn(to, `DROP SCHEMA ${schema} CASCADE`);
  await moveUntil("copied");
  await runOn(to, `UPDATE ${schema}__arriving.devices SET hardware_id = 'other'`);
  await expect(movePostgresStore({ from, to, schema })).rejects.toThrow(
    /^devices: 1 rows were sent to "cell_1", and 1 with other checksums/,
  );
  await undoMovePostgresStore({ from, to, schema });
  const store = await openStore(from);
  expect((await readRecordValues(store, "gw-1")).length).toBe(3);
});
