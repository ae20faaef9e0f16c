import { AsyncLocalStorage } from "node:async_hooks";
import { createGateway, device, generateSecrets } from "@device-gateway/core";
import type { GatewayStore } from "@device-gateway/core/store";
import { createFakeClock, registerSampleDevice } from "@device-gateway/testing";
import { Client } from "pg";
import { afterAll, beforeAll, expect, inject, onTestFinished, test, vi } from "vitest";
import { cellOf } from "../../store-cells/src/cell-of.js";
import { createCellsStore } from "../../store-cells/src/create-cells-store.js";
import { openPostgresStores } from "./open-postgres-stores.js";
import { openSharedDatabase, type SharedDatabase } from "./testing/shared-database.js";
import { runOn } from "./testing/temporary-database.js";

const schemas = ["home", "cell_0", "cell_1", "cell_2"];

let database: SharedDatabase;
let store: GatewayStore;
beforeAll(async () => {
  database = await openSharedDatabase(inject("postgresUrl"), ...schemas);
  const [home, ...cells] = await openPostgresStores({ url: database.url, schemas, poolSize: 4 });
  if (home === undefined) throw new Error("There is no home.");
  store = createCellsStore({ home, cells });
});
afterAll(async () => {
  texts.disable();
  await store.close();
  await database.remove();
});

const texts = new AsyncLocalStorage<string[]>();

/** Returns the texts of the statements that a call runs, without those of gateways in the background. */
async function statementsOf(run: () => Promise<unknown>): Promise<readonly string[]> {
  const found: string[] = [];
  const { query } = Client.prototype;
  const spy = vi.spyOn(Client.prototype, "query").mockImplementation(function (
    this: Client,
    ...asked: unknown[]
  ) {
    const [first] = asked as [string | { readonly text: string }];
    texts.getStore()?.push(typeof first === "string" ? first : first.text);
    return Reflect.apply(query, this, asked);
  });
  await texts.run(found, run).finally(() => spy.mockRestore());
  return found;
}

test("§2 the change feeds of all cells of a database are read with two statements", async () => {
  const { cursor } = await store.changes.since(null);
  const deviceIds = Array.from({ length: 9 }, (_, n) => `gw-${n}`);
  for (const deviceId of deviceIds) await registerSampleDevice(store, deviceId);
  const found: string[] = [];
  const statements = await statementsOf(async () => {
    const outcome = await store.changes.since(cursor);
    if (outcome.kind === "changes") found.push(...outcome.deviceIds);
  });
  expect(found.sort()).toEqual(deviceIds);
  expect(statements).toHaveLength(2);
  // Two readers with cursors of their own.
  const [early, late] = await Promise.all([store.changes.since(cursor), store.changes.since(null)]);
  expect(early).toMatchObject({ kind: "changes", deviceIds: expect.arrayContaining(deviceIds) });
  expect(late.kind).toBe("reset");
});

/** Throws the error of a call. */
async function expectOk(call: Promise<{ isErr(): boolean; error?: unknown }>): Promise<void> {
  const result = await call;
  if (result.isErr()) throw new Error(JSON.stringify(result.error));
}

test("§4 telemetry, including its OTA status, and reads of the configuration run no statement on the home", async () => {
  const clock = createFakeClock();
  const gateway = await createGateway({ store, secrets: generateSecrets(), clock });
  await registerSampleDevice(store, "gw-a");
  const api = gateway.as(device("gw-a"));
  const send = async (temperature: number) => {
    const ota = { lastCheckSucceeded: true, message: `check ${temperature}` };
    await expectOk(api.sendTelemetry({ body: { temperature, ota } }));
  };
  await send(1);
  const statements = await statementsOf(async () => {
    await send(2);
    await expectOk(api.readConfig({}));
  });
  const home = statements.filter((text) => /\bhome\./.test(text));
  expect(home).toEqual([]);
  expect(statements.some((text) => /\bcell_\d\./.test(text))).toBe(true);
});

test("§2 while a cell moves to another database, the change feed has the changes of the others", async () => {
  const { cursor } = await store.changes.since(null);
  await runOn(database.url, "ALTER SCHEMA cell_2 RENAME TO moving");
  onTestFinished(() => runOn(database.url, "ALTER SCHEMA moving RENAME TO cell_2"));
  const deviceIds = Array.from({ length: 20 }, (_, n) => `late-${n}`);
  const [moving, others] = [
    deviceIds.filter((deviceId) => cellOf(deviceId, 3) === 2),
    deviceIds.filter((deviceId) => cellOf(deviceId, 3) !== 2),
  ];
  const [changed = ""] = others;
  await registerSampleDevice(store, changed);
  const outcome = await store.changes.since(cursor);
  expect(outcome).toMatchObject({ kind: "changes", deviceIds: [changed] });
  expect(moving.every((deviceId) => outcome.isUnread?.(deviceId))).toBe(true);
  expect(others.some((deviceId) => outcome.isUnread?.(deviceId))).toBe(false);
});
