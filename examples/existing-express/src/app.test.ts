import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { generateSecrets } from "@device-gateway/core";
import { createDeviceClient, createUserClient } from "@device-gateway/device-client";
import { createMemoryState, createMemoryStore } from "@device-gateway/store-memory";
import { expect, onTestFinished, test, vi } from "vitest";
import { createApp } from "./app.js";

const dayMs = 86_400_000;

async function start(store = createMemoryStore(), secrets = generateSecrets()) {
  const { app, stop: stopApp } = await createApp({ store, secrets });
  const server = app.listen(0, "127.0.0.1");
  await once(server, "listening");
  const stop = async () => {
    if (server.listening) await stopApp(server);
  };
  onTestFinished(stop);
  return { shop: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop };
}

test("a gateway works behind the app's middleware, accepts the app's sessions, and stops while a stream is open", async () => {
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  const { shop, stop } = await start();
  const baseUrl = `${shop}/iot`;
  const device = createDeviceClient({ baseUrl });
  const proof = { deviceId: "gw-1", claimCode: "ABCD-EFGH" };
  expect(
    (await device.register({ ...proof, hardwareId: "esp32", firmwareVersion: "1.0.0" })).isOk(),
  ).toBe(true);
  // The app's parser reads this body before the gateway does.
  expect((await device.sendTelemetry({ soc: 64 }))._unsafeUnwrap().accepted).toBe(1);

  const signIn = await fetch(`${shop}/sign-in`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"name":"alice"}',
  });
  const { token } = (await signIn.json()) as { token: string };
  const claimed = await createUserClient({ baseUrl, token }).claimDevice({ body: proof });
  expect(claimed._unsafeUnwrap().status).toBe("claimed");
  expect(log).toHaveBeenCalledWith("A welcome mail goes to alice for gw-1.");

  const setCookie = signIn.headers.get("set-cookie") ?? "";
  expect(setCookie).toMatch(/; HttpOnly; Secure; SameSite=Lax$/);
  const cookie = setCookie.split(";")[0] ?? "";
  const dashboard = createUserClient({
    baseUrl,
    fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, cookie } }),
  });
  expect((await dashboard.listDevices())._unsafeUnwrap().devices).toHaveLength(1);
  const program = createUserClient({ baseUrl, token });
  expect((await program.listDevices())._unsafeUnwrap().devices).toHaveLength(1);
  const stranger = createUserClient({
    baseUrl,
    fetch: (url, init) =>
      fetch(url, { ...init, headers: { ...init.headers, cookie, authorization: "Bearer wrong" } }),
  });
  expect((await stranger.listDevices())._unsafeUnwrapErr().code).toBe("unauthorized");
  const nobody = createUserClient({ baseUrl });
  expect((await nobody.listDevices())._unsafeUnwrapErr().code).toBe("unauthorized");

  const health = await fetch(`${baseUrl}/healthz`);
  expect(health.headers.get("x-served-by")).toBe("the shop");
  expect(await (await fetch(shop)).text()).toBe("The shop.");

  const stream = await fetch(`${baseUrl}/api/v1/dashboard/devices/gw-1/telemetry/live`, {
    headers: { cookie, connection: "close" },
  });
  expect(stream.status).toBe(200);
  await stop();
  expect(await stream.text()).toContain("retry: ");
});

test("the gateway's maintenance deletes a registration that was not used for a week", async () => {
  const state = createMemoryState();
  const store = createMemoryStore(state);
  const secrets = generateSecrets();
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 8 * dayMs });
  onTestFinished(() => void vi.useRealTimers());
  const identity = { deviceId: "gw-1", hardwareId: "esp32", firmwareVersion: "1.0.0" };
  const { shop, stop } = await start(createMemoryStore(state), secrets);
  const device = createDeviceClient({ baseUrl: `${shop}/iot` });
  expect((await device.register({ ...identity, claimCode: "ABCD-EFGH" })).isOk()).toBe(true);
  expect(await store.devices.find("gw-1")).not.toBeNull();
  await stop();

  vi.useRealTimers();
  await start(createMemoryStore(state), secrets);
  await expect.poll(() => store.devices.find("gw-1")).toBeNull();
});
