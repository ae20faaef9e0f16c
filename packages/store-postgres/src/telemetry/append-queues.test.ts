import type { GatewayStore } from "@device-gateway/core/store";
import { registerSampleDevice, sampleRecord, sampleTime } from "@device-gateway/testing";
import type { Client } from "pg";
import { expect, it } from "vitest";
import { useStoreAndClient } from "../testing/use-store-and-client.js";

let store: GatewayStore;
let other: Client;
useStoreAndClient(async (opened) => {
  ({ store, other } = opened);
  for (const deviceId of ["gw-1", "gw-2"]) await registerSampleDevice(store, deviceId);
});

const send = (deviceId: string, count: number) =>
  store.telemetry.append({
    ...{ deviceId, receivedAt: sampleTime, once: null },
    records: Array.from({ length: count }, (_, seq) => sampleRecord({ seq, isTimed: false })),
  });

async function countWaiting(): Promise<number> {
  const { rowCount } = await other.query(
    "SELECT FROM pg_locks WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))",
  );
  return rowCount ?? 0;
}

it("a changed OTA status does not wait while many records of another device are stored", async () => {
  await other.query(
    "BEGIN; SELECT FROM device_gateway.device_activity WHERE device_id = 'gw-1' FOR UPDATE",
  );
  const many = send("gw-1", 100);
  await expect.poll(countWaiting).toBeGreaterThan(0);
  const status = store.telemetry.append({
    ...{ deviceId: "gw-2", receivedAt: sampleTime, once: null },
    records: [sampleRecord({ isTimed: false })],
    otaStatuses: [],
  });
  expect(await status).toMatchObject({ kind: "appended" });
  await other.query("COMMIT");
  await Promise.allSettled([many]);
});

it("a few records do not wait while many records of another device are stored", async () => {
  await other.query(
    "BEGIN; SELECT FROM device_gateway.device_activity WHERE device_id = 'gw-1' FOR UPDATE",
  );
  const many = send("gw-1", 100);
  await expect.poll(countWaiting).toBeGreaterThan(0);
  // It waits for the same row, so it must not wait in one commit with records of other devices.
  const few = send("gw-1", 1);
  await new Promise((resolve) => setImmediate(resolve));
  expect(await send("gw-2", 1)).toMatchObject({ kind: "appended" });
  await other.query("COMMIT");
  // They may have reached their deadline.
  await Promise.allSettled([many, few]);
});
