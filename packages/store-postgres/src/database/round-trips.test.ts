import type { GatewayStore } from "@device-gateway/core/store";
import { sampleDevice, sampleEvent, sampleRecord, sampleTime } from "@device-gateway/testing";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, expect, inject, it, vi } from "vitest";
import { openPostgresStore } from "../open-postgres-store.js";
import { openSharedDatabase, type SharedDatabase } from "../testing/shared-database.js";

let database: SharedDatabase;
let store: GatewayStore;
beforeAll(async () => {
  database = await openSharedDatabase(inject("postgresUrl"));
  store = await openPostgresStore({ url: database.url, poolSize: 1 });
  for (const deviceId of ["gw-1", "gw-2"]) {
    await store.devices.register({ device: sampleDevice(deviceId), event: sampleEvent(deviceId) });
  }
});
afterEach(() => vi.restoreAllMocks());
afterAll(async () => {
  await store.close();
  await database.remove();
});

const send = (seq: number, isTimed: boolean) =>
  Promise.all(
    ["gw-1", "gw-2", "gw-1"].map((deviceId, n) => {
      const records = [sampleRecord({ seq: seq + n, isTimed })];
      return store.telemetry.append({ deviceId, receivedAt: sampleTime, records, once: null });
    }),
  );

// Each statement is a round trip, which a single record waits for.
it.each([
  ["untimed", false, 4],
  ["timed", true, 5],
])(
  "%s records of known shapes take few statements: begin, lock, write and commit",
  async (_, isTimed, most) => {
    await send(0, isTimed);
    const query = vi.spyOn(Client.prototype, "query");
    await send(10, isTimed);
    expect(query).toHaveBeenCalledTimes(most);
  },
);

it("a connection prepares lock and write; if it lost them, they run unprepared", async () => {
  await send(0, false);
  const query = vi.spyOn(Client.prototype, "query");
  await send(20, false);
  const isNamed = (asked: unknown) => (asked as { readonly name?: string }).name !== undefined;
  const named = () => query.mock.calls.filter(([asked]) => isNamed(asked)).length;
  expect(named()).toBe(2);

  const [client] = query.mock.contexts as unknown as Client[];
  await client?.query("DEALLOCATE ALL");
  query.mockClear();
  const outcomes = await send(30, false);
  expect(outcomes).toEqual(Array(3).fill({ kind: "appended", verdicts: ["stored"] }));
  expect(named()).toBe(1);
});
