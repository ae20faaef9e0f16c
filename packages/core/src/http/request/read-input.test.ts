import { createMemoryStore } from "@device-gateway/store-memory";
import { openWireWorld, serveInProcess } from "@device-gateway/testing";
import { expect, onTestFinished, test } from "vitest";

test("§0 each field has one source, and the last of repeated query parameters counts", async () => {
  const store = createMemoryStore();
  const openStore = async () => ({ store, dispose: () => store.close() });
  const world = await openWireWorld({ serve: serveInProcess, openStore });
  onTestFinished(() => world.close());
  const { call, fetch, register, signIn } = world;
  const token = await signIn("alice");
  for (const deviceId of ["gw-1", "gw-2"]) {
    await register(deviceId);
    await call("claimDevice", { token, body: { deviceId, claimCode: "ABCD-EFGH" } });
  }
  const list = async (query: string) => {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`/api/v1/dashboard/devices?${query}`, { headers })).status;
  };
  expect([await list("limit=1&limit=x"), await list("limit=x&limit=1")]).toEqual([400, 200]);
  const others = { deviceId: "gw-2", name: "query" };
  const renamed = await call("renameDevice", {
    ...{ token, params: { deviceId: "gw-1" }, query: others },
    headers: { deviceid: "gw-2", name: "header" },
    body: { deviceId: "gw-2", name: "body" },
  });
  expect(renamed.status).toBe(200);
  const names = ["gw-1", "gw-2"].map(async (id) => (await store.devices.find(id))?.name);
  expect(await Promise.all(names)).toEqual(["body", null]);
});
