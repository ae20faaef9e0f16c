import type { GatewayStore, OtaEvent, OtaState } from "@device-gateway/core/store";
import {
  registerSampleDevice,
  sampleRecord,
  sampleRelease,
  sampleSecurityEvent,
  sampleTime,
  sampleUpdateRules,
} from "@device-gateway/testing";
import { Client } from "pg";
import { afterEach, beforeEach, expect, inject, it, vi } from "vitest";
import { openPostgresStore } from "../open-postgres-store.js";
import { createMigratedDatabase } from "../testing/migrated-database.js";
import { runOn, type TemporaryDatabase } from "../testing/temporary-database.js";

const versions = ["1.2.3", "1.2.4"];
const devices = ["gw-1", "gw-2", "gw-3", "gw-4"];

let database: TemporaryDatabase;
let stores: readonly [GatewayStore, GatewayStore];
let other: Client;
beforeEach(async () => {
  database = await createMigratedDatabase(inject("postgresUrl"));
  // Postgres looks for deadlocks after a second by default. On a busy machine, a call can time out before.
  const name = new URL(database.url).pathname.slice(1);
  await runOn(database.url, `ALTER DATABASE ${name} SET deadlock_timeout = '20ms'`);
  const open = () => openPostgresStore({ url: database.url, poolSize: 2 });
  stores = [await open(), await open()];
  other = new Client({ connectionString: database.url });
  await other.connect();
});
afterEach(async () => {
  await other.end();
  for (const store of stores) await store.close();
  await database.remove();
});

const toEvent = (deviceId: string, version: string, state: OtaState): OtaEvent => ({
  ...{ createdAt: sampleTime, deviceId, source: "server", state, offeredVersion: version },
  ...{ fromVersion: "0.1.10", lastResult: state, lastCheckSucceeded: null },
  ...{ updateAvailable: null, updateApplied: null, progress: null, message: null },
});

/** Creates two active releases, each offered to all devices. */
async function offerReleases([store]: typeof stores): Promise<void> {
  const active = { status: "active", hasImage: true, activatedAt: sampleTime } as const;
  for (const version of versions) {
    const release = sampleRelease({ ...active, version });
    await store.releases.create({ release, event: sampleSecurityEvent("", "release.created") });
  }
  for (const deviceId of devices) {
    await registerSampleDevice(store, deviceId);
    for (const version of versions) {
      const event = toEvent(deviceId, version, "offered");
      const report = { event, releaseId: null, servesImage: false, fingerprint: null };
      await store.updates.report({ report, rules: sampleUpdateRules });
    }
  }
}

/** Sends the failure of a device's update in telemetry. */
const fail = (store: GatewayStore, deviceId: string, version = "") =>
  store.telemetry.append({
    ...{ deviceId, receivedAt: sampleTime, once: null },
    records: [sampleRecord({ isTimed: false })],
    otaReports: [
      {
        ...{ record: 0, fingerprint: version, rules: sampleUpdateRules },
        event: { ...toEvent(deviceId, version, "failed"), source: "telemetry" },
      },
    ],
  });

/** Returns how many connections wait for a lock. */
async function countWaiting(): Promise<number> {
  const { rowCount } = await other.query(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return rowCount ?? 0;
}

it("statuses about the same releases, in any order, cannot deadlock two processes", async () => {
  await offerReleases(stores);
  const query = vi.spyOn(Client.prototype, "query");
  // Each process has handled one status, if it needs no other lock, and waits here.
  await other.query("BEGIN; LOCK device_gateway.ota_events IN SHARE MODE");
  const [a, b] = stores;
  const [x, y] = versions;
  const calls = [fail(a, "gw-1", x), fail(a, "gw-2", y), fail(b, "gw-3", y), fail(b, "gw-4", x)];
  await expect.poll(countWaiting).toBe(2);
  await other.query("COMMIT");
  const failed = { kind: "appended", reports: [{ state: "failed" }] };
  expect(await Promise.all(calls)).toMatchObject(calls.map(() => failed));
  const results = query.mock.results.map(({ value }) => value as unknown as Promise<unknown>);
  const errors = await Promise.all(results.map((result) => result.then(() => [], String)));
  expect(errors.flat(), "for example, that of a deadlock").toEqual([]);
});
