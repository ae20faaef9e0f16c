import { createMemoryStore } from "@device-gateway/store-memory";
import { expect, onTestFinished, test, vi } from "vitest";
import { anyone, operator } from "../api/principal.js";
import { createGateway, generateSecrets } from "../index.js";

test("§1 a device that is revoked while a body arrives gets 401, and nothing is stored", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const store = createMemoryStore();
  const gateway = await createGateway({
    ...{ store, secrets: generateSecrets(), scryptCost: { logN: 4, r: 8, p: 1 } },
  });
  const identity = { deviceId: "gw-1", hardwareId: "hw-1", claimCode: "ABCD-EFGH" };
  const body = { ...identity, firmwareVersion: "1.0.0" };
  const { token } = (await gateway.as(anyone).registerDevice({ body }))._unsafeUnwrap().body;
  let end = () => {};
  const arrived = new Promise<void>((resolve) => (end = resolve));
  const response = gateway.handle({
    ...{ method: "POST", path: "/api/v1/telemetry", query: "", clientAddress: "192.0.2.1" },
    header: (name) => (name === "authorization" ? `Bearer ${token}` : undefined),
    async json() {
      await arrived;
      return { kind: "value", value: { soc: 64 } };
    },
    async *stream() {},
  });
  // The request has been authenticated when its body is read.
  await new Promise<void>((resolve) => setImmediate(resolve));
  vi.advanceTimersByTime(1_000);
  const params = { deviceId: "gw-1" };
  expect((await gateway.as(operator({ id: "op" })).revokeDevice({ params })).isOk()).toBe(true);
  end();
  expect((await response).status).toBe(401);
  expect(await store.telemetry.latest([{ deviceId: "gw-1", from: 0 }])).toEqual([null]);
});
