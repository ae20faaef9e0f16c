import { createMemoryStore } from "@device-gateway/store-memory";
import { createTestCloud } from "@device-gateway/testing/cloud";
import { expect, onTestFinished, test } from "vitest";
import type { SlowHash } from "../ports/slow-hash.js";

async function startCloud(gateway = {}) {
  const cloud = await createTestCloud({ gateway });
  onTestFinished(() => cloud.close());
  return cloud;
}

test("levels count store calls and slow hashes that wait", async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const slowHash: SlowHash = { derive: () => held.then(() => new Uint8Array(32)) };
  const store = createMemoryStore();
  const devices = { ...store.devices, list: () => held.then(() => []) };
  const limits = { hashesInFlight: 1 };
  const cloud = await startCloud({ store: { ...store, devices }, slowHash, limits });
  const alice = cloud.signIn("alice");
  const claims = [1, 2, 3].map((n) =>
    cloud.fetch(`${cloud.baseUrl}/api/v1/user/devices/claim`, {
      method: "POST",
      headers: { authorization: `Bearer ${alice}`, "content-type": "application/json" },
      body: JSON.stringify({ deviceId: `gw-${n}`, claimCode: "ABCDEFGH" }),
    }),
  );
  const olga = { authorization: `Bearer ${cloud.signIn("olga", { operator: true })}` };
  const list = cloud.fetch(`${cloud.baseUrl}/api/v1/operator/devices`, { headers: olga });
  await expect
    .poll(() => cloud.gateway.readLevels())
    .toMatchObject({ storeCalls: 1, slowHashesWaiting: 2 });
  release();
  await Promise.all([...claims, list]);
  expect(await cloud.gateway.readLevels()).toMatchObject({ storeCalls: 0, slowHashesWaiting: 0 });
});

test("levels give the start of the latest finished maintenance and ignore an aborted one", async () => {
  const cloud = await startCloud();
  expect((await cloud.gateway.readLevels()).maintainedAt).toBeNull();
  await cloud.gateway.maintain(AbortSignal.abort());
  expect((await cloud.gateway.readLevels()).maintainedAt).toBeNull();
  const at = cloud.clock.now();
  await cloud.gateway.maintain();
  expect((await cloud.gateway.readLevels()).maintainedAt).toBe(at);
});

test("levels count halted rollouts and updates by state, and `fleet` is null without a store", async () => {
  const cloud = await startCloud();
  const { token, deviceId } = await cloud.addDevice();
  const { targetHardware = "" } = (await cloud.store.devices.find(deviceId))?.profile ?? {};
  const release = await cloud.addRelease({
    version: "9.0.0",
    targetHardware,
    image: new Uint8Array(8),
  });
  await cloud.fetch(`${cloud.baseUrl}/api/v1/ota/latest`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(await cloud.gateway.readLevels()).toMatchObject({
    fleet: { activeReleases: 1, haltedReleases: 0, updates: { offered: 1 } },
  });
  const found = await cloud.store.releases.find(release.id);
  const event = { kind: "release.halted", at: 1, deviceId: "", actor: "guard" } as const;
  await cloud.store.releases.change({
    id: release.id,
    expectedRevision: found?.revision ?? 0,
    changes: { status: "paused", haltedAt: 1 },
    event: { ...event, requestId: null, clientAddress: null, details: {} },
  });
  expect(await cloud.gateway.readLevels()).toMatchObject({
    fleet: { activeReleases: 0, haltedReleases: 1, updates: { offered: 1 } },
  });
  await cloud.store.close();
  expect((await cloud.gateway.readLevels()).fleet).toBeNull();
});

test("a retired gateway is not ready but answers every other request", async () => {
  const cloud = await startCloud();
  const statusOf = async (path: string) => (await cloud.fetch(`${cloud.baseUrl}${path}`)).status;
  expect([await statusOf("/readyz"), await statusOf("/healthz")]).toEqual([200, 200]);
  cloud.gateway.retire();
  expect([await statusOf("/readyz"), await statusOf("/healthz")]).toEqual([503, 200]);
  await cloud.addDevice();
});
