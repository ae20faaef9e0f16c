import { registerSampleDevice, sampleSecurityEvent } from "@device-gateway/testing";
import { Pool } from "pg";
import { expect, inject, onTestFinished, test } from "vitest";
import { checkSchemaName, toSchema } from "./database/schema-name.js";
import { openPostgresStore } from "./open-postgres-store.js";
import { askOn, createTemporaryDatabase } from "./testing/temporary-database.js";

async function openDatabase() {
  const database = await createTemporaryDatabase(inject("postgresUrl"));
  onTestFinished(() => database.remove());
  return database;
}

test("two gateways share the embedder's pool and database, each in a schema of its own", async () => {
  const { url } = await openDatabase();
  const pool = new Pool({ connectionString: url, max: 2 });
  // `end` does not wait until the connections are closed. The removal of the database may end them first.
  pool.on("error", () => {});
  // A connection that was opened before the stores.
  await pool.query("SELECT 1");
  const listeners = () => pool.listenerCount("connect") + pool.listenerCount("error");
  const before = listeners();
  const [red, blue] = [
    await openPostgresStore({ pool, schema: "red" }),
    await openPostgresStore({ pool, schema: "blue" }),
  ];
  await registerSampleDevice(red, "gw-1");
  expect(await blue.devices.find("gw-1")).toBeNull();
  await registerSampleDevice(blue, "gw-1");
  const event = sampleSecurityEvent("gw-1", "device.assigned");
  const owner = { deviceId: "gw-1", ownerId: "alice", now: event.at, event };
  expect((await red.claims.assign(owner)).kind).toBe("claimed");
  expect((await blue.devices.find("gw-1"))?.ownership).toBeNull();

  // A transaction of one gateway holds back the readers of its own schema only.
  const other = await pool.connect();
  const mark = toSchema("blue")("SELECT pg_advisory_xact_lock_shared(17479::bigint << 48 | 0)");
  await other.query(`BEGIN; ${mark}`);
  expect(await red.securityEvents.list({ after: 0, limit: 9 })).toHaveLength(2);
  expect(await blue.securityEvents.list({ after: 0, limit: 9 })).toHaveLength(0);
  await other.query("ROLLBACK");
  other.release();

  await red.close();
  await blue.close();
  expect(listeners(), "the pool is as it was").toBe(before);
  // The embedder's own queries keep the driver's types.
  expect((await pool.query("SELECT 1::bigint AS n")).rows).toEqual([{ n: "1" }]);
  await pool.end();
  const found = await askOn<{ name: string }>(
    url,
    "SELECT nspname AS name FROM pg_namespace WHERE nspname ~ '^(red|blue|device_)' ORDER BY 1",
  );
  expect(found).toEqual([{ name: "blue" }, { name: "red" }]);
});

test("a schema name that is not a plain identifier is refused before anything is sent", async () => {
  const names = [
    "",
    "Fleet",
    "a b",
    'a"b',
    "a;b",
    "1a",
    "pg_mine",
    "a".repeat(64),
    "ä",
    "a.b",
    "a\n",
  ];
  for (const name of [...names, undefined as unknown as string]) {
    expect(() => checkSchemaName(name), name).toThrow(/^schema: pass a name/);
  }
  for (const name of ["a", "_1", "fleet_of_acme", "a".repeat(63)]) checkSchemaName(name);
  const opening = openPostgresStore({ url: "postgres://nobody.invalid/x", schema: "a; DROP" });
  await expect(opening).rejects.toThrow(/^schema: pass a name/);
});

test("a value that is not a pool is refused, and the message says what to pass", async () => {
  const opening = openPostgresStore({ pool: {} as Pool });
  await expect(opening).rejects.toThrow(/^pool: pass a Pool/);
});

test("a schema named like a keyword is refused, and the message says what to do", async () => {
  const { url } = await openDatabase();
  await expect(openPostgresStore({ url, schema: "select" })).rejects.toThrow(/schema: .*keyword/);
});
