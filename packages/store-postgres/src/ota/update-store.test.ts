import type { GatewayStore, OtaEvent } from "@device-gateway/core/store";
import { sampleDevice, sampleEvent, sampleRelease, sampleTime } from "@device-gateway/testing";
import { Client, Pool } from "pg";
import { afterEach, beforeEach, expect, inject, it } from "vitest";
import { openPostgresStore } from "../open-postgres-store.js";
import {
  askOn,
  createTemporaryDatabase,
  type TemporaryDatabase,
} from "../testing/temporary-database.js";

const deviceId = "gw-1";
const event: OtaEvent = {
  ...{ createdAt: sampleTime, deviceId, source: "device", state: "failed", progress: null },
  ...{ offeredVersion: "1.2.0", fromVersion: "1.1.0", lastResult: "late", message: null },
  ...{ lastCheckSucceeded: null, updateAvailable: null, updateApplied: null },
};
const rules = {
  ...{ maxFailures: 3, maxAttempts: 5, attemptWindowMs: 1, blockMs: 1, timeoutMs: 1 },
  ...{ silenceMs: 1, toleratedShare: 0.02 },
};
const answer = { requestId: "request", status: "failed", message: null };

let database: TemporaryDatabase;
let store: GatewayStore;
let registering: Client;
beforeEach(async () => {
  database = await createTemporaryDatabase(inject("postgresUrl"));
  store = await openPostgresStore({ url: database.url, poolSize: 2 });
  registering = new Client({ connectionString: database.url });
  await registering.connect();
});
afterEach(async () => {
  await registering.end();
  await store.close();
  await database.remove();
});

const report = () =>
  store.updates.report({
    report: { event, releaseId: null, servesImage: false, fingerprint: "changed" },
    rules,
  });
const answerCommand = () => {
  const update = { status: answer.status, message: answer.message, event };
  const key = { deviceId, commandId: answer.requestId };
  return store.commands.answer({ ...key, answer: null, update, now: sampleTime });
};

const isAnyWaiting = async () =>
  (await askOn(database.url, "SELECT FROM pg_locks WHERE NOT granted")).length > 0;

it.each([
  ["a report", report],
  ["a command's answer", answerCommand],
])(
  "%s from an unknown device is not stored, even if the device registers meanwhile",
  async (_, call) => {
    // The device that appears has a command. An event written without the lock could outlive the
    // device's erasure.
    const device = sampleDevice("gw-0");
    const command = { ...answer, requestedAt: sampleTime, status: null, answeredAt: null };
    await store.devices.register({
      device: { ...device, ota: { ...device.ota, command } },
      event: sampleEvent("gw-0"),
    });
    await registering.query(`BEGIN; SET LOCAL session_replication_role = replica;
    LOCK TABLE device_gateway.devices;
    UPDATE device_gateway.devices SET device_id = '${deviceId}';
    UPDATE device_gateway.device_activity SET device_id = '${deviceId}'`);
    let isDone = false;
    const calling = call().finally(() => {
      isDone = true;
    });
    // The call has found no row to lock, and may look for the device now.
    await expect.poll(async () => isDone || isAnyWaiting()).toBe(true);
    await registering.query("COMMIT");
    await calling;
    const page = { deviceId, from: 0, before: Number.MAX_SAFE_INTEGER, limit: 9 };
    expect(await store.otaEvents.list(page)).toEqual([]);
    await call();
    expect(await store.otaEvents.list(page)).toHaveLength(1);
  },
);

it("updates under way are examined in several statements until an overdue one is found", async () => {
  const pool = new Pool({ connectionString: database.url, max: 1 });
  const searching = await openPostgresStore({ pool });
  await store.devices.register({ device: sampleDevice(deviceId), event: sampleEvent(deviceId) });
  const creation = { release: sampleRelease(), event: sampleEvent("") };
  const { release } = await store.releases.create(creation);
  // Most have the same time.
  await registering.query(
    `INSERT INTO device_gateway.device_updates (device_id, release_id, state, from_version, offered_at,
       updated_at, attempts, attempt_served, failures)
     SELECT $1, $2::bigint + n, CASE n WHEN 0 THEN 'installing' ELSE 'downloading' END, '0.1.10', 0,
       CASE n WHEN 0 THEN 4000 ELSE greatest(1400, n) END, '[]', false, 0
     FROM generate_series(0, 2500) AS n`,
    [deviceId, release.id],
  );
  let statements = 0;
  pool.on("acquire", () => {
    statements += 1;
  });
  const input = { before: 0, silentSince: 5_000, limit: 9 };
  const found = await searching.updates.overdue(input);
  expect(found.map(({ releaseId }) => releaseId)).toEqual([release.id]);
  expect(statements).toBe(3);
  await searching.close();
  await pool.end();
});
