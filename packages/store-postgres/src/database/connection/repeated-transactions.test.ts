import type { GatewayStore } from "@device-gateway/core/store";
import { readSecurityEvents, sampleDevice, sampleEvent, sampleTime } from "@device-gateway/testing";
import { Client } from "pg";
import { afterEach, beforeEach, expect, inject, it, vi } from "vitest";
import { openPostgresStore } from "../../open-postgres-store.js";
import { createMigratedDatabase } from "../../testing/migrated-database.js";
import { startTcpProxy } from "../../testing/tcp-proxy.js";
import { runOn, type TemporaryDatabase } from "../../testing/temporary-database.js";
import { openConnection } from "./connection.js";

let database: TemporaryDatabase;
const cleanups: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  database = await createMigratedDatabase(inject("postgresUrl"));
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  await database.remove();
});

async function open(url = database.url, poolSize = 4): Promise<GatewayStore> {
  const store = await openPostgresStore({ url, poolSize });
  cleanups.push(() => store.close());
  return store;
}

const register = (store: GatewayStore, deviceId: string) =>
  store.devices.register({ device: sampleDevice(deviceId), event: sampleEvent(deviceId) });

it("repeats a transaction that the server rolled back because of a conflict", async () => {
  const name = new URL(database.url).pathname.slice(1);
  await runOn(
    inject("postgresUrl"),
    `ALTER DATABASE ${name} SET default_transaction_isolation = 'serializable'`,
  );
  const store = await open(database.url, 8);
  await register(store, "gw-1");
  const use = { deviceId: "gw-1", event: sampleEvent("gw-1"), claimCodeHash: "claim-code-hash" };
  const claims = Array.from({ length: 8 }, (_, n) =>
    store.claims.claim({ ...use, ownerId: `owner-${n}`, now: sampleTime }),
  );
  const kinds = (await Promise.all(claims)).map(({ kind }) => kind).sort();
  expect(kinds).toEqual(["claimed", ...Array<string>(7).fill("taken")]);
});

/** Postgres looks for deadlocks after a second by default. On a busy machine, a statement can time out before. */
const detectDeadlocksSoon = `DO $$ BEGIN
  EXECUTE format('ALTER DATABASE %I SET deadlock_timeout = %L', current_database(), '20ms');
END $$`;

it("repeats a transaction that was in a deadlock", async () => {
  await runOn(database.url, detectDeadlocksSoon);
  const store = await open();
  for (const deviceId of ["gw-1", "gw-2"]) await register(store, deviceId);
  const connection = await openConnection({
    source: { url: database.url, poolSize: 2 },
    schema: "device_gateway",
  });
  cleanups.push(() => connection.close());
  const touch = "UPDATE device_gateway.devices SET revision = revision + 1 WHERE device_id = $1";
  let tries = 0;
  let meet = () => {};
  const both = new Promise<void>((resolve) => {
    meet = resolve;
  });
  const cross = (first: string, second: string) =>
    connection.write(async (session) => {
      await session.query(touch, [first]);
      if (++tries === 2) meet();
      await both;
      await session.query(touch, [second]);
    });
  await Promise.all([cross("gw-1", "gw-2"), cross("gw-2", "gw-1")]);
  expect(tries).toBeGreaterThan(2);
  expect((await store.devices.find("gw-1"))?.revision).toBe(3);
  expect((await store.devices.find("gw-2"))?.revision).toBe(3);
});

it("repeats a call once if a prepared statement was lost, and not if another statement fails in the same way", async () => {
  const connection = await openConnection({
    source: { url: database.url, poolSize: 1 },
    schema: "device_gateway",
  });
  cleanups.push(() => connection.close());
  // Error 0A000, which a prepared statement also gets if its plan became invalid.
  const unsupported = "SELECT count(*) FROM device_gateway.devices FOR UPDATE";
  const countTries = async (name?: string) => {
    let tries = 0;
    const reading = connection.read((session) => {
      tries++;
      return session.query(unsupported, [], name);
    });
    await expect(reading).rejects.toMatchObject({ code: "0A000" });
    return tries;
  };
  expect(await countTries()).toBe(1);
  expect(await countTries("a name")).toBe(2);
  expect(await countTries("a name"), "it is not prepared any more").toBe(1);
});

const budget = { key: "key", limit: 2, windowMs: 1_000, whenSpent: "refuse" } as const;
const reserve = (store: GatewayStore, reservationId: string) =>
  store.budgets.reserve({
    reservationId,
    budgets: [budget],
    now: sampleTime,
    event: sampleEvent("gw-1"),
  });

it("repeats a reservation and a refund whose response was lost, and counts each once", async () => {
  const proxy = await startTcpProxy(database.url);
  cleanups.push(() => proxy.close());
  const store = await open(proxy.url, 2);
  proxy.loseAnswer();
  expect(await reserve(store, "1")).toMatchObject({ kind: "reserved" });
  expect(await reserve(store, "2")).toMatchObject({ kind: "reserved" });
  expect(await readSecurityEvents(store, "gw-1")).toHaveLength(1);
  proxy.loseAnswer();
  await store.budgets.refund("1");
  expect(await reserve(store, "3")).toMatchObject({ kind: "reserved" });
  expect(await reserve(store, "4")).toMatchObject({ kind: "refused" });
});

it("reserves an attempt in one round trip, and rejects an isolation level that hides others' attempts", async () => {
  const store = await open(database.url, 1);
  const query = vi.spyOn(Client.prototype, "query");
  await reserve(store, "1");
  expect(query).toHaveBeenCalledTimes(1);
  const name = new URL(database.url).pathname.slice(1);
  await runOn(
    inject("postgresUrl"),
    `ALTER DATABASE ${name} SET default_transaction_isolation = 'repeatable read'`,
  );
  const blind = await open(database.url, 1);
  await expect(reserve(blind, "2")).rejects.toThrow(/Budgets need.*read committed/);
});
