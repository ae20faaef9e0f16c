import { type GatewayStore, StoreUnavailableError } from "@device-gateway/core/store";
import {
  readSecurityEvents,
  sampleDevice,
  sampleEvent,
  sampleRecord,
  sampleTime,
} from "@device-gateway/testing";
import { Client } from "pg";
import { afterEach, beforeEach, expect, inject, it } from "vitest";
import { openPostgresStore } from "../../open-postgres-store.js";
import { createMigratedDatabase } from "../../testing/migrated-database.js";
import { startPostgresServer } from "../../testing/postgres-server.js";
import { settleSoon } from "../../testing/settle-soon.js";
import { startTcpProxy } from "../../testing/tcp-proxy.js";
import { askOn, runOn, type TemporaryDatabase } from "../../testing/temporary-database.js";

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

/** Begins a transaction of another client on the same database. */
async function beginElsewhere(sql: string, url = database.url): Promise<Client> {
  const client = new Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  cleanups.push(() => client.end());
  await client.query(`BEGIN; ${sql}`);
  return client;
}

const register = (store: GatewayStore, deviceId: string) =>
  store.devices.register({ device: sampleDevice(deviceId), event: sampleEvent(deviceId) });
const rename = (store: GatewayStore, deviceId: string, name: string) =>
  store.devices.rename({ deviceId, ownerId: null, name, event: sampleEvent(deviceId) });

/** Ends every other connection to the database. */
const severAll = () =>
  runOn(
    database.url,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );
const countStatements = async (): Promise<number> => {
  const rows = await askOn(
    database.url,
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND state = 'active'
     AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
  );
  return rows.length;
};

it("rejects as unavailable at once while the server is down, and recovers by itself", async () => {
  const server = await startPostgresServer({ fsync: "on" });
  cleanups.push(() => server.stop());
  const store = await open(server.url);
  const acknowledged = new Set<string>();
  let stopping = false;
  const outcomes: unknown[] = [];
  async function registerOn(worker: number): Promise<void> {
    for (let n = 0; !stopping; n++) {
      const deviceId = `gw-${worker}-${n}`;
      const outcome = await settleSoon(register(store, deviceId));
      outcomes.push(outcome);
      if (outcome === "unavailable") await new Promise((resolve) => setTimeout(resolve, 20));
      else acknowledged.add(deviceId);
    }
  }
  const workers = [0, 1, 2, 3, 4, 5].map(registerOn);
  await expect.poll(() => acknowledged.size).toBeGreaterThan(30);
  await server.kill();
  await expect.poll(() => outcomes.at(-1)).toBe("unavailable");
  await server.restart();
  const before = acknowledged.size;
  await expect.poll(() => acknowledged.size).toBeGreaterThan(before + 30);
  stopping = true;
  await Promise.all(workers);
  for (const deviceId of acknowledged) {
    expect(await store.devices.find(deviceId), deviceId).not.toBeNull();
    expect(await readSecurityEvents(store, deviceId)).toHaveLength(1);
  }
});

it("survives lost connections, or rejects as unavailable", async () => {
  const store = await open();
  for (let round = 0; round < 10; round++) {
    const calls = Array.from({ length: 12 }, (_, n) =>
      settleSoon(n % 3 ? store.devices.find(`gw-${n}`) : register(store, `gw-${round}-${n}`)),
    );
    await severAll();
    await Promise.all(calls);
    expect(await settleSoon(store.devices.find("gw-1"))).not.toBe("unavailable");
  }
  expect(await register(store, "afterwards")).toEqual({ kind: "registered" });
});

it("survives a connection that ends in the packet that completes its login", async () => {
  const proxy = await startTcpProxy(database.url);
  cleanups.push(() => proxy.close());
  const store = await open(proxy.url, 2);
  await severAll();
  proxy.endNextLogin();
  await expect.poll(() => settleSoon(store.devices.find("gw-1"))).toBeNull();
});

it("stops waiting for another client's lock within two seconds, here and in the server", async () => {
  const store = await open();
  await register(store, "gw-1");
  const other = await beginElsewhere("SELECT FROM device_gateway.devices FOR UPDATE");
  expect(await settleSoon(rename(store, "gw-1", "late"))).toBe("unavailable");
  await expect.poll(countStatements).toBe(0);
  expect((await store.devices.find("gw-1"))?.name).toBeNull();
  await other.query("COMMIT");
  expect(await rename(store, "gw-1", "in time")).toEqual({ kind: "recorded" });
});

it("gives records that waited for a slow commit their own time limit", async () => {
  const store = await open();
  await register(store, "gw-1");
  const send = (seq: number) =>
    settleSoon(
      store.telemetry.append({
        deviceId: "gw-1",
        receivedAt: sampleTime,
        records: [sampleRecord({ seq })],
        once: null,
      }),
    );
  await send(0);
  await runOn(
    database.url,
    `CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql
       AS 'BEGIN PERFORM pg_sleep(0.7); RETURN NULL; END';
     CREATE TRIGGER slow BEFORE INSERT ON device_gateway.telemetry
       FOR EACH STATEMENT EXECUTE FUNCTION slow()`,
  );
  const first = send(1);
  await expect.poll(countStatements).toBe(1);
  await Promise.all([first, send(2)]);
  // One call may have been rejected as too slow. Its record is stored nevertheless.
  const countThem = () =>
    store.telemetry.count({ deviceId: "gw-1", from: 0, to: 1e15, receivedFrom: 0, atMost: 9 });
  await expect.poll(countThem).toBe(3);
});

it("rejects as unavailable while every connection is in use, and recovers when they are free", async () => {
  const store = await open(database.url, 2);
  await register(store, "gw-1");
  const other = await beginElsewhere("SELECT FROM device_gateway.devices FOR UPDATE");
  const waiting = Array.from({ length: 30 }, (_, n) => settleSoon(rename(store, "gw-1", `${n}`)));
  expect(await settleSoon(store.devices.find("gw-1"))).toBe("unavailable");
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(["unavailable"]));
  await other.query("COMMIT");
  expect(await settleSoon(rename(store, "gw-1", "free"))).toEqual({ kind: "recorded" });
});

it("rejects writes as unavailable when the server becomes read-only, and finds the next primary", async () => {
  const store = await open();
  await register(store, "gw-1");
  const name = new URL(database.url).pathname.slice(1);
  await runOn(database.url, `ALTER DATABASE ${name} SET default_transaction_read_only = on`);
  await severAll();
  expect(await settleSoon(register(store, "gw-2"))).toBe("unavailable");
  const reads = Array.from({ length: 4 }, () => store.devices.find("gw-1"));
  expect(await Promise.all(reads)).toEqual(Array(4).fill(sampleDevice("gw-1")));
  await runOn(inject("postgresUrl"), `ALTER DATABASE ${name} RESET default_transaction_read_only`);
  // One call fails. After it, no earlier connection is used.
  expect(await settleSoon(register(store, "gw-2"))).toBe("unavailable");
  expect(await settleSoon(register(store, "gw-2"))).toEqual({ kind: "registered" });
});

it("rejects a ping while the server is read-only, and finds the next primary by it", async () => {
  const store = await open();
  const name = new URL(database.url).pathname.slice(1);
  await runOn(database.url, `ALTER DATABASE ${name} SET default_transaction_read_only = on`);
  await severAll();
  expect(await settleSoon(store.ping())).toBe("unavailable");
  await runOn(inject("postgresUrl"), `ALTER DATABASE ${name} RESET default_transaction_read_only`);
  await store.ping();
});

it("does not wait for a network that drops everything", async () => {
  const proxy = await startTcpProxy(database.url);
  cleanups.push(() => proxy.close());
  const store = await open(proxy.url, 2);
  await register(store, "gw-1");
  proxy.freeze();
  const calls = Array.from({ length: 8 }, (_, n) =>
    settleSoon(n % 2 ? store.devices.find("gw-1") : register(store, `lost-${n}`)),
  );
  expect(new Set(await Promise.all(calls))).toEqual(new Set(["unavailable"]));
  proxy.thaw();
  await expect.poll(() => settleSoon(store.devices.find("gw-1"))).toEqual(sampleDevice("gw-1"));
});

it("waits for an unresponsive server once, not in every call", async () => {
  const proxy = await startTcpProxy(database.url);
  cleanups.push(() => proxy.close());
  const store = await open(proxy.url, 2);
  proxy.freeze();
  const callOften = async () => {
    for (let n = 0; n < 5; n++) {
      expect(await settleSoon(store.devices.find("gw-1"))).toBe("unavailable");
    }
  };
  await settleSoon(callOften());
});

it("waits for a starting server when it opens", async () => {
  const proxy = await startTcpProxy(database.url);
  cleanups.push(() => proxy.close());
  proxy.freeze();
  const opening = open(proxy.url);
  await expect.poll(() => proxy.taken).toBe(2);
  proxy.thaw();
  expect(await register(await opening, "gw-1")).toEqual({ kind: "registered" });
});

it("rejects at once if there is no server or an option is invalid", async () => {
  const url = "postgres://nobody@127.0.0.1:1/none";
  await expect(openPostgresStore({ url })).rejects.toBeInstanceOf(StoreUnavailableError);
  await expect(openPostgresStore({ url, poolSize: 0 })).rejects.toThrow(/poolSize/);
});
