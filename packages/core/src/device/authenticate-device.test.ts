import { createMemoryStore } from "@device-gateway/store-memory";
import { createFakeClock, sampleRegistration, serveInProcess } from "@device-gateway/testing";
import { expect, test } from "vitest";
import { generateSecrets } from "../auth/generate-secrets.js";
import { createGateway } from "../gateway.js";

/** Starts two gateways over one store. Their change feeds are not polled until the clock advances. */
async function startTwo() {
  const options = {
    ...{ store: createMemoryStore(), clock: createFakeClock(), secrets: generateSecrets() },
    scryptCost: { logN: 4, r: 8, p: 1 },
  };
  const start = async () => serveInProcess(await createGateway(options));
  const [a, b] = [await start(), await start()];
  type Server = typeof a;
  const register = async (server: Server, body: object) => {
    const sent = { method: "POST", body: JSON.stringify(body) };
    const headers = { "content-type": "application/json" };
    const response = await server.fetch("/api/v1/device/register", { ...sent, headers });
    return (await response.json()) as { deviceSecret: string; token: string };
  };
  const readConfig = async (server: Server, token: string) =>
    (
      await server.fetch("/api/v1/device/config", {
        headers: { authorization: `Bearer ${token}` },
      })
    ).status;
  return { store: options.store, a, b, register, readConfig };
}

test("§2 a token that another process issued a moment ago is valid in each process", async () => {
  const { a, b, register, readConfig } = await startTwo();
  const { deviceSecret, token } = await register(a, sampleRegistration());
  // The first request records the use of the token, and the second one caches the device.
  for (const _ of [1, 2]) expect(await readConfig(b, token)).toBe(200);
  const again = await register(a, { ...sampleRegistration(), deviceSecret });
  expect(again.token).not.toBe(token);
  expect(await readConfig(b, again.token)).toBe(200);
});

test("§1 a device that is registered anew after its erasure has another revision", async () => {
  const { store, a, register } = await startTwo();
  await register(a, sampleRegistration());
  const { deviceId } = sampleRegistration();
  // A transition that was decided for an erased device of this id must not match.
  expect((await store.devices.find(deviceId))?.revision).toBeGreaterThan(1_000);
});
