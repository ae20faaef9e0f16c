import { StoreUnavailableError } from "@device-gateway/core/store";
import { sampleDevice, sampleEvent } from "@device-gateway/testing";
import { expect, it } from "vitest";
import { openPostgresStore } from "../open-postgres-store.js";
import { startPostgresServer } from "../testing/postgres-server.js";
import { askOn, runOn } from "../testing/temporary-database.js";

it("while no commit ends, writes are refused, reads work, and the server's connections stay bounded", async () => {
  const poolSize = 4;
  const server = await startPostgresServer();
  const store = await openPostgresStore({ url: server.url, poolSize });
  const register = (deviceId: string) =>
    store.devices.register({ device: sampleDevice(deviceId), event: sampleEvent(deviceId) });
  const setStandby = async (name: string) => {
    await runOn(server.url, `ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
    await runOn(server.url, "SELECT pg_reload_conf()");
  };
  const countConnections = async () => {
    const sql = "SELECT FROM pg_stat_activity WHERE application_name = 'device-gateway'";
    return (await askOn(server.url, sql)).length;
  };
  try {
    await register("before");
    await setStandby("missing");
    const calls = Array.from({ length: 8 }, (_, n) => register(`gw-${n}`));
    for (const outcome of await Promise.allSettled(calls)) {
      expect(outcome.status).toBe("rejected");
      expect((outcome as PromiseRejectedResult).reason).toBeInstanceOf(StoreUnavailableError);
    }
    await expect
      .poll(() => register("more").catch(String))
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
    await store.close();
    await server.stop();
  }
});
