import { createMemoryStore } from "@device-gateway/store-memory";
import { expect, test } from "vitest";
import { customer } from "../api/principal.js";
import { generateSecrets } from "../auth/generate-secrets.js";
import { createGateway } from "../gateway.js";
import type { GatewayStore } from "../ports/gateway-store.js";

/** Resolves after the requests have gone as far as they can. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}

const openGateway = (store: GatewayStore) =>
  createGateway({
    secrets: generateSecrets(),
    customers: { authenticateToken: async (id) => ({ id, emailVerified: true, roles: [] }) },
    store,
  });

test("§0 two requests of one user run at once, and the others wait", async () => {
  const memory = createMemoryStore();
  const asked: string[] = [];
  const release: (() => void)[] = [];
  const gateway = await openGateway({
    ...memory,
    devices: {
      ...memory.devices,
      async find(deviceId) {
        asked.push(deviceId);
        await new Promise<void>((resolve) => release.push(resolve));
        return null;
      },
    },
  });
  const read = (user: string, deviceId: string) =>
    gateway.handle({
      ...{ method: "GET", path: `/api/v1/dashboard/devices/${deviceId}`, query: "" },
      clientAddress: "192.0.2.1",
      header: (name) => (name === "authorization" ? `Bearer ${user}` : undefined),
      json: () => Promise.reject(new Error("A GET has no body.")),
      async *stream() {},
    });
  const responses = ["a1", "a2", "a3", "a4"].map((id) => read("a", id));
  await settle();
  expect(asked).toEqual(["a1", "a2"]);
  responses.push(read("b", "b1"));
  await settle();
  expect(asked).toEqual(["a1", "a2", "b1"]);
  release[1]?.();
  await settle();
  expect(asked).toEqual(["a1", "a2", "b1", "a3"]);
  release[0]?.();
  await settle();
  for (const each of release) each();
  const statuses = (await Promise.all(responses)).map(({ status }) => status);
  expect(statuses).toEqual(responses.map(() => 404));
});

test("§3 claims of one customer reserve their attempts one after another", async () => {
  const memory = createMemoryStore();
  let reserving = 0;
  const release: (() => void)[] = [];
  const gateway = await openGateway({
    ...memory,
    budgets: {
      ...memory.budgets,
      async reserve(input) {
        reserving += 1;
        await new Promise<void>((resolve) => release.push(resolve));
        return memory.budgets.reserve(input);
      },
    },
  });
  const api = gateway.as(customer({ id: "a", emailVerified: true }));
  const claim = (deviceId: string) =>
    api.claimDevice({ body: { deviceId, claimCode: "ABCD-1234" } });
  const claims = ["gw-1", "gw-2", "gw-3"].map(claim);
  for (let count = 1; count <= claims.length; count++) {
    await settle();
    expect(reserving).toBe(count);
    release[count - 1]?.();
  }
  await Promise.all(claims);
});
