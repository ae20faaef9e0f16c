import { type GatewayStore, StoreUnavailableError } from "@device-gateway/core/store";
import { sampleDevice, sampleEvent } from "@device-gateway/testing";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, it } from "vitest";
import { openPostgresStore } from "../open-postgres-store.js";
import { type DatabaseLane, openDatabaseLane } from "../testing/database-lane.js";
import { endsOf, markOf } from "./commit-order.js";

let lane: DatabaseLane;
let store: GatewayStore;
/** Another process, whose transaction takes as long as the test wants. */
let other: Client;
beforeAll(async () => {
  lane = await openDatabaseLane(inject("postgresUrl"));
});
beforeEach(async () => {
  await lane.empty();
  store = await openPostgresStore({ url: lane.url, poolSize: 3 });
  other = new Client({ connectionString: lane.url });
  await other.connect();
});
afterEach(async () => {
  await other.end();
  await store.close();
});
afterAll(() => lane.remove());

const register = (deviceId: string) =>
  store.devices.register({ device: sampleDevice(deviceId), event: sampleEvent(deviceId) });
const told = async () =>
  (await store.securityEvents.list({ after: 0, limit: 99 })).map(({ deviceId }) => deviceId);
async function changedSince(cursor: string) {
  const outcome = await store.changes.since(cursor);
  if (outcome.kind !== "changes") throw new Error("The feed forgot.");
  return { ...outcome, deviceIds: [...outcome.deviceIds].sort() };
}

/** What every transition runs, in steps. */
const begin = () => other.query(`BEGIN; ${markOf("transition_ids")}`);
const write = (deviceId: string) =>
  other.query(
    `WITH fed AS (
       INSERT INTO device_gateway.changes (id, device_id, at)
       VALUES (nextval('device_gateway.transition_ids'), '${deviceId}', 0)
     )
     INSERT INTO device_gateway.security_events (id, kind, at, device_id, actor, details)
     VALUES (nextval('device_gateway.transition_ids'), 'device.claimed', 0, '${deviceId}', 'x', '{}')`,
  );

it("shows no event before one with a lower id that is not committed yet", async () => {
  await register("gw-1");
  await begin();
  await write("slow");
  await register("gw-2");
  expect(await told()).toEqual(["gw-1"]);
  await other.query("COMMIT");
  expect(await told()).toEqual(["gw-1", "slow", "gw-2"]);
});

it("goes on when the slow transaction is rolled back, or its process is gone", async () => {
  await begin();
  await write("slow");
  await register("gw-1");
  expect(await told()).toEqual([]);
  await other.query("ROLLBACK");
  expect(await told()).toEqual(["gw-1"]);
  await begin();
  await write("slow");
  await register("gw-2");
  await other.end();
  await expect.poll(told).toEqual(["gw-1", "gw-2"]);
});

it("tells of a change at once, and of slower ones later, from the cursors that it gave", async () => {
  await register("gw-1");
  const { cursor: start } = await store.changes.since(null);
  await begin();
  await write("slow");
  await register("gw-2");
  const first = await changedSince(start);
  expect(first.deviceIds).toEqual(["gw-2"]);
  const second = await changedSince(first.cursor);
  await other.query("COMMIT");
  const third = await changedSince(second.cursor);
  expect(third.deviceIds).toContain("slow");
  expect(await changedSince(third.cursor)).toMatchObject({ deviceIds: [] });
});

it("never moves a cursor back for who marked early and writes late", async () => {
  await begin();
  await register("gw-1");
  const { cursor } = await store.changes.since(null);
  await register("gw-2");
  const between = await changedSince(cursor);
  expect(between.deviceIds).toEqual(["gw-1", "gw-2"]);
  await write("late");
  await other.query("COMMIT");
  const after = await changedSince(between.cursor);
  expect(after.deviceIds).toContain("late");
  expect(Number(after.cursor)).toBeGreaterThan(Number(between.cursor));
});

it("is not held up by locks of others, nor by transactions elsewhere in the server", async () => {
  await other.query("BEGIN; SELECT pg_advisory_xact_lock(1), pg_current_xact_id()");
  await register("gw-1");
  expect(await told()).toEqual(["gw-1"]);
  const { rows } = await other.query<{ newest: string; settled: string }>(endsOf("transition_ids"));
  expect(rows[0]?.settled).toBe(rows[0]?.newest);
});

it("rejects as unavailable what the store can't say", async () => {
  await store.close();
  await expect(told()).rejects.toBeInstanceOf(StoreUnavailableError);
});
