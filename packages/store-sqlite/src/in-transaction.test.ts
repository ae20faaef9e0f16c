import { createGateway, customer, generateSecrets, operator } from "@device-gateway/core";
import { registerSampleDevice, sampleSecurityEvent } from "@device-gateway/testing";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import type { InTransaction } from "./database/connection.js";
import { openSqliteStore } from "./open-sqlite-store.js";
import { createTemporaryFile } from "./testing/temporary-file.js";

const deviceId = "gw-1";

/** Opens a store whose embedder keeps a table in the same file. */
async function open(inTransaction: InTransaction) {
  const { file, remove } = createTemporaryFile();
  onTestFinished(remove);
  const store = await openSqliteStore({ file, inTransaction });
  onTestFinished(() => store.close());
  const own = new Database(file);
  onTestFinished(() => void own.close());
  own.exec("CREATE TABLE own_rows (kind TEXT, device_id TEXT UNIQUE)");
  const select = own.prepare<[], { kind: string }>("SELECT kind FROM own_rows ORDER BY rowid");
  const rows = () => select.all().map(({ kind }) => kind);
  return { store, own, rows };
}

const insertRow: InTransaction = (database, { kind, deviceId: id, at }) =>
  void database.prepare("INSERT INTO own_rows VALUES (?, ?)").run(kind, `${id} ${kind} ${at}`);

test("a row of the embedder commits with the change, and only if something changed", async () => {
  const { store, rows } = await open(insertRow);
  await registerSampleDevice(store, deviceId);
  const event = sampleSecurityEvent(deviceId, "device.assigned");
  const owner = { deviceId, ownerId: "alice", now: event.at, event };
  for (const kind of ["claimed", "already_owned"]) {
    expect((await store.claims.assign(owner)).kind).toBe(kind);
  }
  const release = { deviceId, ownerId: "alice", spendCode: false };
  const released = sampleSecurityEvent(deviceId, "device.released");
  for (const kind of ["released", "not_owner"]) {
    expect((await store.claims.release({ ...release, event: released })).kind).toBe(kind);
  }
  const renamed = sampleSecurityEvent(deviceId, "device.renamed");
  await store.devices.rename({ deviceId, ownerId: null, name: "x", event: renamed });
  expect(rows()).toEqual(["device.registered", "device.assigned", "device.released"]);
});

test("if the embedder's function throws, the change is undone with its event and its rows", async () => {
  let full = false;
  const { store, rows } = await open((database, event) => {
    insertRow(database, event);
    if (full) throw new Error("The plan is full.");
  });
  const device = await registerSampleDevice(store, deviceId);
  const gateway = await createGateway({ store, secrets: generateSecrets() });
  full = true;
  const refused = await gateway
    .as(operator({ id: "ops" }))
    .assignDevice({ params: { deviceId }, body: { customerId: "alice" } });
  expect(refused._unsafeUnwrapErr()).toMatchObject({
    code: "internal",
    cause: new Error("The plan is full."),
  });
  expect(await store.devices.find(deviceId)).toEqual(device);
  expect(await store.securityEvents.list({ after: 0, limit: 9 })).toHaveLength(1);
  expect(rows()).toHaveLength(1);
  const mine = gateway.as(customer({ id: "alice", emailVerified: true }));
  expect((await mine.listDevices())._unsafeUnwrap().body.devices).toEqual([]);
});

test("an asynchronous function, and one that ends the transaction, change nothing", async () => {
  const asynchronous = (async () => {}) as unknown as InTransaction;
  const first = await open(asynchronous);
  await expect(registerSampleDevice(first.store, deviceId)).rejects.toThrow(/Make it synchronous/);
  expect(await first.store.devices.find(deviceId)).toBeNull();
  const second = await open((database) => void database.exec("ROLLBACK"));
  await expect(registerSampleDevice(second.store, deviceId)).rejects.toThrow(
    /ended the transaction/,
  );
  expect(await second.store.devices.find(deviceId)).toBeNull();
});
