import { registerSampleDevice, sampleEvent } from "@device-gateway/testing";
import type { Client } from "pg";
import { expect, it } from "vitest";
import type { PostgresStore } from "../open-postgres-store.js";
import { useStoreAndClient } from "../testing/use-store-and-client.js";

let store: PostgresStore;
let other: Client;
useStoreAndClient((opened) => {
  ({ store, other } = opened);
});

const deviceId = "gw-1";
const event = sampleEvent(deviceId);

const removals: Record<string, () => Promise<unknown>> = {
  erase: () => store.devices.erase({ deviceId, block: false, event }),
  dropUnused: () =>
    store.devices.dropUnused({ deviceId: null, registeredBefore: 1, limit: 9, event }),
};

// Update reports lock them in this order. In another order, they could wait for each other.
it.each(Object.keys(removals))(
  "%s locks the activity of a device before the device",
  async (name) => {
    await registerSampleDevice(store, deviceId, { registeredAt: 0 });
    const lock = (table: string) =>
      other.query(
        `SELECT FROM device_gateway.${table} WHERE device_id = '${deviceId}' FOR UPDATE NOWAIT`,
      );
    await other.query("BEGIN");
    await lock("device_activity");
    const removing = removals[name]?.();
    const countWaiting = async () =>
      (
        await other.query(
          "SELECT FROM pg_locks WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))",
        )
      ).rowCount;
    await expect.poll(countWaiting).toBeGreaterThan(0);
    await lock("devices");
    await other.query("COMMIT");
    await removing;
    expect(await store.devices.find(deviceId)).toBeNull();
  },
);
