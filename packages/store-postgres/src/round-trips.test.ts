import type { GatewayStore, OtaEvent } from "@device-gateway/core/store";
import {
  sampleDevice,
  sampleEvent,
  sampleRecord,
  sampleTime,
  sampleUpdateRules,
} from "@device-gateway/testing";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, expect, inject, it, vi } from "vitest";
import { openPostgresStore } from "./open-postgres-store.js";
import { openSharedDatabase, type SharedDatabase } from "./testing/shared-database.js";

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

const sampleOtaEvent: Omit<OtaEvent, "deviceId" | "lastResult"> = {
  ...{ createdAt: sampleTime, source: "telemetry", state: "failed", offeredVersion: null },
  ...{ fromVersion: "1.1.0", lastCheckSucceeded: true, updateAvailable: false },
  ...{ updateApplied: null, progress: null, message: null },
};

/** Sends records in one request, each with an OTA status. */
const sendStatuses = (deviceId: string, statuses: readonly string[], to = store) =>
  to.telemetry.append({
    ...{ deviceId, receivedAt: sampleTime, once: null },
    records: statuses.map(() => sampleRecord({ isTimed: false })),
    otaReports: statuses.map((status, record) => ({
      ...{ record, fingerprint: status, rules: sampleUpdateRules },
      event: { ...sampleOtaEvent, deviceId, lastResult: status },
    })),
  });

/** Returns whether a statement waits for the lock on OTA events. */
const isWaiting = async (client: Client) => {
  const { rowCount } = await client.query(
    `SELECT FROM pg_locks WHERE NOT granted AND relation = 'device_gateway.ota_events'::regclass
     AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
  return rowCount !== 0;
};

it("many records with one OTA status take as few statements as one record", async () => {
  await sendStatuses("gw-1", ["warm-up"]);
  const query = vi.spyOn(Client.prototype, "query");
  await sendStatuses("gw-1", ["one"]);
  const statements = query.mock.calls.length;
  query.mockClear();
  await sendStatuses("gw-1", Array(100).fill("many"));
  expect(query).toHaveBeenCalledTimes(statements);
});

it("records without an OTA status do not wait for statuses that are being stored", async () => {
  const several = await openPostgresStore({ url: database.url, poolSize: 2 });
  const lock = new Client({ connectionString: database.url });
  await lock.connect();
  await lock.query("BEGIN; LOCK device_gateway.ota_events");
  const blocked = sendStatuses("gw-1", ["blocked"], several);
  await expect.poll(() => isWaiting(lock)).toBe(true);
  const records = [sampleRecord({ isTimed: false })];
  const other = { deviceId: "gw-2", receivedAt: sampleTime, records, once: null };
  expect(await several.telemetry.append(other)).toMatchObject({ kind: "appended" });
  await lock.query("COMMIT");
  await lock.end();
  await blocked.catch(() => {});
  await several.close();
});

// All records of a transaction wait for its end, and fail together if it takes too long.
it("OTA statuses that come together do not share one long transaction", async () => {
  const query = vi.spyOn(Client.prototype, "query");
  const requests = Array.from({ length: 120 }, (_, n) => sendStatuses("gw-1", [`status ${n}`]));
  // Only the transactions count: on a busy machine requests reach their deadline.
  await Promise.allSettled(requests);
  const isBegin = (asked: unknown) => typeof asked === "string" && asked.startsWith("BEGIN");
  const { calls } = query.mock;
  const begins = calls.flatMap(([asked], place) => (isBegin(asked) ? [place] : []));
  const lengths = begins.map((begin, n) => (begins[n + 1] ?? calls.length) - begin);
  expect(begins.length).toBeGreaterThan(1);
  expect(Math.max(...lengths)).toBeLessThan(400);
});
