import type { GatewayStore } from "@device-gateway/core/store";
import {
  readRecordValues,
  registerSampleDevice,
  sampleRecord,
  sampleTime,
} from "@device-gateway/testing";
import type { Client } from "pg";
import { expect, it } from "vitest";
import { openPostgresStore } from "../../open-postgres-store.js";
import { useStoreAndClient } from "../../testing/use-store-and-client.js";

let url: string;
let store: GatewayStore;
/** Holds locks as long as the test wants. */
let other: Client;
useStoreAndClient(async (opened) => {
  ({ store, other, url } = opened);
  await registerSampleDevice(store, "gw-1");
});

let seq = 0;
async function send(name: string, receivedAt = sampleTime): Promise<void> {
  const record = sampleRecord({
    ...{ at: receivedAt, seq: seq++, isTimed: false },
    value: { [name]: 1 },
  });
  const append = { deviceId: "gw-1", receivedAt, records: [record], once: null };
  expect(await store.telemetry.append(append)).toMatchObject({ kind: "appended" });
}

async function ask(sql: string): Promise<number> {
  const { rows } = await other.query<{ n: number }>(sql);
  return rows[0]?.n ?? 0;
}
const countShapes = () => ask("SELECT count(*)::int AS n FROM device_gateway.telemetry_shapes");
const countWaiting = () =>
  ask(`SELECT count(*)::int AS n FROM pg_locks
    WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))`);

const longAfter = sampleTime + 1_000 * 86_400_000;
const prune = () => store.telemetry.prune({ receivedBefore: longAfter, limit: 500 });

/** Reads with empty caches, as a new process does. */
async function readAnew() {
  const fresh = await openPostgresStore({ url, poolSize: 1 });
  const values = await readRecordValues(fresh, "gw-1");
  await fresh.close();
  return values;
}

it("keeps the shapes of a device to which another process is appending", async () => {
  await send("a");
  await other.query(`BEGIN;
    SELECT FROM device_gateway.device_activity WHERE device_id = 'gw-1' FOR UPDATE`);
  expect(await prune()).toBe(1);
  expect(await countShapes(), "its record may not be visible yet").toBe(1);
  await other.query("COMMIT");
  await prune();
  expect(await countShapes()).toBe(0);
});

it("keeps the shape of a backdated record that arrived after its day was pruned", async () => {
  await send("a");
  await other.query("BEGIN; LOCK TABLE device_gateway.telemetry_crowds IN ACCESS EXCLUSIVE MODE");
  const pruning = prune();
  await expect.poll(countWaiting).toBeGreaterThan(0);
  // The records of the day are deleted; the uses of their shapes are not deleted yet.
  await send("a");
  await other.query("COMMIT");
  expect(await pruning).toBe(1);
  expect(await readAnew()).toEqual([{ a: 1 }]);
  await prune();
  expect(await countShapes()).toBe(0);
});

it("deletes the shapes of a device that no longer exists", async () => {
  await send("a");
  await other.query("UPDATE device_gateway.telemetry_shape_uses SET device = 1000000");
  await prune();
  expect(await countShapes()).toBe(0);
});
