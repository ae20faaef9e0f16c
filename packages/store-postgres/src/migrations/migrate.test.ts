import { spawn } from "node:child_process";
import { once } from "node:events";
import { createGateway, generateSecrets } from "@device-gateway/core";
import { StoreUnavailableError } from "@device-gateway/core/store";
import {
  createFakeClock,
  sampleDevice,
  sampleEvent,
  sampleRecord,
  sampleTime,
} from "@device-gateway/testing";
import { Client } from "pg";
import { afterEach, beforeEach, expect, inject, it, vi } from "vitest";
import { bundleProgram } from "../../../../scripts/bundle-programs.js";
import { lockClasses } from "../database/lock-numbers.js";
import { openPostgresStore } from "../open-postgres-store.js";
import { startTcpProxy } from "../testing/tcp-proxy.js";
import {
  askOn,
  createTemporaryDatabase,
  runOn,
  type TemporaryDatabase,
} from "../testing/temporary-database.js";
import { migratePostgres } from "./migrate.js";
import { migrations } from "./migrations.js";
import { replicaIdentities } from "./replica-identities.js";

let database: TemporaryDatabase;
beforeEach(async () => {
  database = await createTemporaryDatabase(inject("postgresUrl"));
});
afterEach(() => database.remove());

const newest = migrations.length;

it("migrates a new database once, however many processes start", async () => {
  const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const opening = Array.from({ length: 8 }, () =>
    openPostgresStore({ url: database.url, poolSize: 1, logger }),
  );
  for (const store of await Promise.all(opening)) await store.close();
  expect(logger.info.mock.calls).toEqual([[{ from: 0, to: newest }, expect.any(String)]]);
  expect(await migratePostgres({ url: database.url })).toEqual({ from: newest, to: newest });
});

it("turns a waiting “update now” request of version 23 into a pending command, and no other request", async () => {
  const { url } = database;
  await runOn(
    url,
    `CREATE SCHEMA device_gateway;
     CREATE TABLE device_gateway.schema_version (version integer NOT NULL);
     INSERT INTO device_gateway.schema_version (version) VALUES (23)`,
  );
  for (const migration of migrations.slice(0, 23)) await runOn(url, migration);
  const request = { requestId: "one", requestedAt: 5, status: null, message: null };
  for (const [deviceId, answeredAt] of [
    ["waits", null],
    ["answered", 6],
  ] as const) {
    await runOn(
      url,
      `INSERT INTO device_gateway.devices (device_id, revision, hardware_id, firmware_version,
         target_hardware, capabilities, claim_code_spent, secret_hash, credential_epoch,
         credential_issued_at, config_overrides, config_revision, owned_before, registered_at,
         ota_channel, owner_id, claimed_at, visible_from, ota_command)
       VALUES ('${deviceId}', 1, 'h', '1.0.0', 'h', '{}', false, 's', 1, 1, '{}', 0, true, 1,
         'stable', 'owner', 1, 0, '${JSON.stringify({ ...request, answeredAt })}');
       INSERT INTO device_gateway.device_activity (device_id) VALUES ('${deviceId}')`,
    );
  }
  const store = await openPostgresStore({ url, poolSize: 1 });
  const find = (deviceId: string) => store.commands.find({ deviceId, commandId: "one" });
  expect(await find("waits")).toMatchObject({
    ...{ name: "update-now", payload: {}, sentBy: "owner", sentAt: 5, state: "pending" },
    ...{ expiresAt: 5 + 365 * 86_400_000, dueAt: 5 + 365 * 86_400_000, endedAt: null },
  });
  expect(await find("answered")).toBeNull();
  const flags = { commandsWaiting: true, ota: { isCommandOpen: true } };
  expect(await store.devices.find("waits")).toMatchObject(flags);
  expect(await store.devices.find("answered")).toMatchObject({ ota: { isCommandOpen: false } });
  await store.close();
});

it("counts a pending credential of version 4 as created by a registration", async () => {
  const [url, deviceId] = [database.url, "gw-1"];
  await runOn(
    url,
    `CREATE SCHEMA device_gateway;
     CREATE TABLE device_gateway.schema_version (version integer NOT NULL);
     INSERT INTO device_gateway.schema_version (version) VALUES (4)`,
  );
  for (const migration of migrations.slice(0, 4)) await runOn(url, migration);
  await runOn(
    url,
    `INSERT INTO device_gateway.devices (device_id, revision, hardware_id, firmware_version,
       target_hardware, capabilities, claim_code_spent, secret_hash, credential_epoch,
       credential_issued_at, pending_secret_hash, pending_epoch, pending_issued_at, config_overrides,
       config_revision, owned_before, registered_at, ota_channel)
     VALUES ('${deviceId}', 1, 'h', '1.0.0', 'h', '{}', false, 's', 1, 1, 'p', 2, 2, '{}', 0, false, 1, 'stable');
     INSERT INTO device_gateway.device_activity (device_id) VALUES ('${deviceId}')`,
  );
  const store = await openPostgresStore({ url, poolSize: 1 });
  const pending = { secretHash: "p", epoch: 2, issuedAt: 2, isRotation: false };
  expect(await store.devices.find(deviceId)).toMatchObject({ pendingCredential: pending });
  await store.close();
});

it("rejects as unavailable if the server does not answer", async () => {
  const proxy = await startTcpProxy(database.url);
  proxy.freeze();
  await expect(migratePostgres({ url: proxy.url })).rejects.toBeInstanceOf(StoreUnavailableError);
  await proxy.close();
});

it("waits for another process that is migrating", async () => {
  const other = new Client({ connectionString: database.url });
  await other.connect();
  await other.query(`BEGIN; SELECT pg_advisory_xact_lock(${lockClasses.migration}, 0)`);
  const waiting = migratePostgres({ url: database.url });
  const isWaiting = async () =>
    (await askOn(database.url, "SELECT FROM pg_locks WHERE NOT granted")).length > 0;
  await expect.poll(isWaiting).toBe(true);
  await other.query("COMMIT");
  expect(await waiting).toEqual({ from: 0, to: newest });
  await other.end();
});

it.each(["repeatable read", "serializable"])(
  "sees what another process migrated where %s is the default isolation level",
  async (level) => {
    const name = new URL(database.url).pathname.slice(1);
    await runOn(
      inject("postgresUrl"),
      `ALTER DATABASE ${name} SET default_transaction_isolation = '${level}'`,
    );
    const other = new Client({ connectionString: database.url });
    await other.connect();
    await other.query(`SELECT pg_advisory_lock(${lockClasses.migration}, 0)`);
    const migrating = [1, 2].map(() => migratePostgres({ url: database.url }));
    const findWaiting = `SELECT FROM pg_locks AS l JOIN pg_database AS d ON d.oid = l.database
        WHERE d.datname = current_database() AND NOT l.granted`;
    const waiting = async () => (await askOn(database.url, findWaiting)).length;
    await expect.poll(waiting).toBe(2);
    await other.end();
    const outcomes = (await Promise.all(migrating)).toSorted((a, b) => a.from - b.from);
    expect(outcomes).toEqual([0, newest].map((from) => ({ from, to: newest })));
  },
);

it("changes nothing when a migration fails", async () => {
  await runOn(database.url, "CREATE ROLE nobody_there NOLOGIN").catch(() => {});
  const failing = migratePostgres({ url: database.url, runtimeRole: "no such role" });
  await expect(failing).rejects.toThrow(/no such role/);
  expect(await askOn(database.url, "SELECT to_regnamespace('device_gateway') AS schema")).toEqual([
    { schema: null },
  ]);
});

it("rejects a newer schema with a message that says what to do", async () => {
  await migratePostgres({ url: database.url });
  await runOn(database.url, "UPDATE device_gateway.schema_version SET version = version + 1");
  const sentence = /newer version.*or restore a backup/;
  await expect(migratePostgres({ url: database.url })).rejects.toThrow(sentence);
  await expect(openPostgresStore({ url: database.url })).rejects.toThrow(sentence);
});

it("rejects the schema of another program and leaves it unchanged", async () => {
  await runOn(database.url, "CREATE SCHEMA device_gateway; CREATE TABLE device_gateway.notes ()");
  await expect(openPostgresStore({ url: database.url })).rejects.toThrow(/another program/);
});

it("logs an error about a server that may lose committed data", async () => {
  const name = new URL(database.url).pathname.slice(1);
  await runOn(inject("postgresUrl"), `ALTER DATABASE ${name} SET synchronous_commit = off`);
  const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  await (await openPostgresStore({ url: database.url, poolSize: 1, logger })).close();
  expect(logger.error).toHaveBeenCalledWith(
    { setting: "synchronous_commit", value: "off" },
    expect.stringMatching(/lost if the machine fails.*Set it to on/),
  );
});

/** Creates a login role without any rights. Returns the URL with it. */
async function createRole(name: string): Promise<string> {
  await runOn(database.url, `DROP ROLE IF EXISTS ${name}; CREATE ROLE ${name} LOGIN`);
  const url = new URL(database.url);
  url.username = name;
  url.password = "";
  return url.href;
}

const dropRole = (name: string) => runOn(database.url, `DROP OWNED BY ${name}; DROP ROLE ${name}`);

it("runs as a role that has only the rights that a server needs", async () => {
  const role = `runtime_${process.pid}`;
  const url = await createRole(role);
  await expect(openPostgresStore({ url })).rejects.toThrow(/device-gateway-migrate as the owner/);
  await migratePostgres({ url: database.url, runtimeRole: role });
  const store = await openPostgresStore({ url, poolSize: 2 });
  const clock = createFakeClock();
  const secrets = generateSecrets({
    bytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
  });
  const gateway = await createGateway({ store, secrets, clock });
  const deviceId = "gw-1";
  await store.devices.register({ device: sampleDevice(deviceId), event: sampleEvent(deviceId) });
  for (const at of [sampleTime, sampleTime + 40 * 86_400_000]) {
    const records = [sampleRecord({ at })];
    await store.telemetry.append({ deviceId, receivedAt: at, records, once: null });
  }
  await store.budgets.reserve({
    ...{ reservationId: "try", now: sampleTime, event: sampleEvent(deviceId) },
    budgets: [{ key: "key", limit: 1, windowMs: 1_000, whenSpent: "refuse" }],
  });
  clock.advance(sampleTime + 400 * 86_400_000 - clock.now());
  await gateway.maintain();
  expect(await store.telemetry.read({ deviceId, after: 0, limit: 9 })).toEqual([]);
  await store.devices.erase({ deviceId, block: true, event: sampleEvent(deviceId) });
  await store.close();
  for (const forbidden of [
    "CREATE TABLE device_gateway.own ()",
    "DROP TABLE device_gateway.devices",
    "ALTER TABLE device_gateway.devices ADD own text",
    "DELETE FROM device_gateway.security_events",
    "UPDATE device_gateway.security_events SET actor = 'nobody'",
    "SELECT device_gateway.prune_events('device.erased', 0, 1)",
    "UPDATE device_gateway.schema_version SET version = 0",
    "TRUNCATE device_gateway.devices",
    "CREATE SCHEMA own",
  ]) {
    await expect(runOn(url, forbidden), forbidden).rejects.toThrow(
      /permission denied|must be owner|never deleted/,
    );
  }
  await dropRole(role);
});

/** Bundles the command from its source and runs it. */
async function runCommand(environment: Record<string, string>, ...args: string[]) {
  const program = await bundleProgram("packages/store-postgres/src/migrations/migrate-command.ts");
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env.PATH ?? "", ...environment },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const [code] = (await once(child, "close")) as [number];
  return { code, output };
}

it("migrates from the command line", async () => {
  const without = await runCommand({});
  expect(without.code).toBe(2);
  expect(without.output).toMatch(/Usage/);
  const environment = { DATABASE_URL: database.url };
  const first = await runCommand(environment);
  expect(first).toEqual({
    code: 0,
    output: `Migrated the schema "device_gateway" from version 0 to ${newest}.\n`,
  });
  const second = await runCommand(environment);
  expect(second).toEqual({
    code: 0,
    output: `The schema "device_gateway" is at version ${newest} already.\n`,
  });
  const cell = await runCommand(environment, "--schema", "gateway_cell_0");
  expect(cell.output).toBe(`Migrated the schema "gateway_cell_0" from version 0 to ${newest}.\n`);
  const wrong = await runCommand({ DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" });
  expect(wrong.code).toBe(1);
  expect(wrong.output).toMatch(/database is unavailable/);
});

it("rejects as unavailable if the server cannot be reached", async () => {
  const migrating = migratePostgres({ url: "postgres://nobody@127.0.0.1:1/none" });
  await expect(migrating).rejects.toBeInstanceOf(StoreUnavailableError);
});

it("every table has a replica identity, partitions from before and after the migration too", async () => {
  const { url } = database;
  const before = migrations.indexOf(replicaIdentities);
  await runOn(
    url,
    `CREATE SCHEMA device_gateway;
     CREATE TABLE device_gateway.schema_version (version integer NOT NULL);
     INSERT INTO device_gateway.schema_version (version) VALUES (${before})`,
  );
  for (const migration of migrations.slice(0, before)) await runOn(url, migration);
  await runOn(url, "SELECT device_gateway.make_telemetry_partition(1)");
  await migratePostgres({ url });
  await runOn(url, "SELECT device_gateway.make_telemetry_partition(2)");
  const without = await askOn(
    url,
    `SELECT relname FROM pg_class AS c
     WHERE relkind IN ('r', 'p') AND relnamespace = 'device_gateway'::regnamespace AND relreplident <> 'f'
       AND NOT EXISTS (SELECT FROM pg_index WHERE indrelid = c.oid AND indisprimary)`,
  );
  expect(without).toEqual([]);
});

it("creates no schema that has the same advisory locks as another gateway's schema of the database", async () => {
  const { url } = database;
  await migratePostgres({ url, schema: "cell_13" });
  await expect(migratePostgres({ url, schema: "cell_60" })).rejects.toThrow(
    'schema: "cell_60" and the schema "cell_13" of this database would use the same advisory locks, and would wait for each other. Choose another name.',
  );
  await migratePostgres({ url, schema: "cell_61" });
});
