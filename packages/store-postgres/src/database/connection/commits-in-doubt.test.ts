import { StoreUnavailableError } from "@device-gateway/core/store";
import { sampleDevice, sampleEvent } from "@device-gateway/testing";
import { expect, it } from "vitest";
import { openPostgresStore, type PostgresStore } from "../../open-postgres-store.js";
import { openPostgresStores } from "../../open-postgres-stores.js";
import { startPostgresServer } from "../../testing/postgres-server.js";
import { askOn, runOn } from "../../testing/temporary-database.js";

const poolSize = 4;
const openOne = async (url: string) => [await openPostgresStore({ url, poolSize })];
const openThree = (url: string) =>
  openPostgresStores({ url, poolSize, schemas: ["home", "cell_0", "cell_1"] });

it.each([
  { stores: "one store", open: openOne },
  { stores: "three stores over one pool", open: openThree },
])(
  "while no commit ends, writes are refused, reads work, and the server's connections stay bounded: $stores",
  async ({ open }) => {
    const server = await startPostgresServer();
    const stores = await open(server.url);
    const [store] = stores as [PostgresStore];
    let calls = 0;
    /** Registers a device in one of the stores, in turn. */
    const register = (deviceId: string) => {
      const { devices } = stores[calls++ % stores.length] ?? store;
      return devices.register({ device: sampleDevice(deviceId), event: sampleEvent(deviceId) });
    };
    const setStandby = async (name: string) => {
      await runOn(server.url, `ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
      await runOn(server.url, "SELECT pg_reload_conf()");
    };
    const countConnections = async () => {
      const sql = "SELECT FROM pg_stat_activity WHERE application_name = 'device-gateway'";
      return (await askOn(server.url, sql)).length;
    };
    try {
      for (const _ of stores) await register("before");
      await setStandby("missing");
      // Postgres reads its configuration again a moment later.
      const probe = () => register(`probe-${calls}`).then(() => "stored", String);
      await expect.poll(probe).not.toBe("stored");
      for (const round of [1, 2, 3]) {
        const registered = Array.from({ length: 8 }, (_, n) => register(`gw-${round}-${n}`));
        for (const outcome of await Promise.allSettled(registered)) {
          expect(outcome.status).toBe("rejected");
          expect((outcome as PromiseRejectedResult).reason).toBeInstanceOf(StoreUnavailableError);
        }
      }
      await expect
        // Another device each time: a commit in doubt holds the lock of its own.
        .poll(() => register(`more-${calls}`).catch(String))
        .toMatch(/does not finish commits.* check that the standby answers/);
      expect(await countConnections()).toBeLessThanOrEqual(poolSize + 1);
      const read = () => store.devices.find("before").catch(() => null);
      await expect.poll(read).not.toBeNull();
      await expect(register("never")).rejects.toThrow(/does not finish commits/);
      await setStandby("");
      const tryAgain = () => register("after").then(({ kind }) => kind, String);
      await expect.poll(tryAgain).toMatch(/registered|exists/);
      expect(await store.devices.find("never")).toBeNull();
    } finally {
      await Promise.all(stores.map((one) => one.close()));
      await server.stop();
    }
  },
);
