import { createGateway, generateSecrets, operator } from "@device-gateway/core";
import {
  registerSampleDevice,
  sampleOwnership,
  sampleRecord,
  sampleSecurityEvent,
  sampleTime,
} from "@device-gateway/testing";
import { Pool } from "pg";
import { expect, inject, onTestFinished, test } from "vitest";
import type { InTransaction } from "./database/connection/connection.js";
import { openPostgresStore } from "./open-postgres-store.js";
import { createTemporaryDatabase } from "./testing/temporary-database.js";

const deviceId = "gw-1";

const insertRow: InTransaction = async (client, { kind, deviceId: id }) => {
  await client.query("INSERT INTO own_rows (kind, device_id) VALUES ($1, $2)", [kind, id]);
};

test("a row of the embedder commits with the change, is undone with it, and is written again after a deadlock", async () => {
  const database = await createTemporaryDatabase(inject("postgresUrl"));
  onTestFinished(() => database.remove());
  const pool = new Pool({ connectionString: database.url, max: 3 });
  // `end` does not wait until the connections are closed. The removal of the database may end them first.
  pool.on("error", () => {});
  await pool.query("CREATE TABLE own_rows (id serial, kind text, device_id text)");
  let fail: (() => Error) | undefined;
  let calls = 0;
  const store = await openPostgresStore({
    pool,
    schema: "fleet",
    inTransaction: async (client, event) => {
      calls++;
      await insertRow(client, event);
      const error = fail?.();
      if (error !== undefined) throw error;
    },
  });
  onTestFinished(async () => {
    await store.close();
    await pool.end();
  });
  const kinds = async () =>
    (await pool.query<{ kind: string }>("SELECT kind FROM own_rows ORDER BY id")).rows.map(
      ({ kind }) => kind,
    );

  const device = await registerSampleDevice(store, deviceId);
  const gateway = await createGateway({ store, secrets: generateSecrets() });
  const api = gateway.as(operator({ id: "ops" }));
  const assign = () => api.assignDevice({ params: { deviceId }, body: { customerId: "alice" } });
  fail = () => new Error("The plan is full.");
  expect((await assign())._unsafeUnwrapErr()).toMatchObject({
    code: "internal",
    cause: new Error("The plan is full."),
  });
  expect(await store.devices.find(deviceId)).toEqual(device);
  expect(await store.securityEvents.list({ after: 0, limit: 9 })).toHaveLength(1);
  expect(await kinds()).toEqual(["device.registered"]);

  calls = 0;
  fail = () => {
    fail = undefined;
    return Object.assign(new Error("deadlock detected"), { code: "40P01" });
  };
  expect((await assign()).isOk()).toBe(true);
  expect(calls).toBe(2);
  expect((await assign())._unsafeUnwrap().body.status).toBe("already_owned");
  const event = sampleSecurityEvent(deviceId, "device.released");
  const release = { deviceId, ownerId: "alice", spendCode: false, event };
  for (const kind of ["released", "not_owner"]) {
    expect((await store.claims.release(release)).kind).toBe(kind);
  }
  expect(await kinds()).toEqual(["device.registered", "device.assigned", "device.released"]);
});

test("a change whose embedder ignores the error of a statement is rejected, because Postgres rolls it back", async () => {
  const database = await createTemporaryDatabase(inject("postgresUrl"));
  onTestFinished(() => database.remove());
  const store = await openPostgresStore({
    url: database.url,
    inTransaction: async (client, event) => void (await insertRow(client, event).catch(() => {})),
  });
  onTestFinished(() => store.close());
  await expect(registerSampleDevice(store, deviceId)).rejects.toThrow(
    /was rolled back.*let the error of a statement reject/,
  );
  expect(await store.devices.find(deviceId)).toBeNull();
});

test("a statement of the embedder that Postgres does not support runs once, and the store keeps its prepared statements", async () => {
  const database = await createTemporaryDatabase(inject("postgresUrl"));
  onTestFinished(() => database.remove());
  const pool = new Pool({ connectionString: database.url, max: 1 });
  // `end` does not wait until the connections are closed. The removal of the database may end them first.
  pool.on("error", () => {});
  let calls = 0;
  const store = await openPostgresStore({
    pool,
    inTransaction: async (client, { kind }) => {
      if (kind !== "device.released") return;
      calls++;
      // Error 0A000, which a prepared statement of the store gets if its plan became invalid.
      await client.query("SELECT count(*) FROM pg_class FOR UPDATE");
    },
  });
  onTestFinished(async () => {
    await store.close();
    await pool.end();
  });
  await registerSampleDevice(store, deviceId, sampleOwnership());
  const event = sampleSecurityEvent(deviceId, "device.released");
  const releasing = store.claims.release({ deviceId, ownerId: "owner", spendCode: false, event });
  await expect(releasing).rejects.toMatchObject({ code: "0A000" });
  expect(calls).toBe(1);
  expect((await store.devices.find(deviceId))?.ownership?.ownerId).toBe("owner");
  const records = [sampleRecord({ isTimed: false })];
  await store.telemetry.append({ deviceId, receivedAt: sampleTime, records, once: null });
  const prepared = await pool.query("SELECT FROM pg_prepared_statements");
  expect(prepared.rowCount).toBeGreaterThan(0);
});
