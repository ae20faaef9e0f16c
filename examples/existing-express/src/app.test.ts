import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { generateSecrets } from "@device-gateway/core";
import { createDeviceClient, createUserClient } from "@device-gateway/device-client";
import { createMemoryStore } from "@device-gateway/store-memory";
import { expect, onTestFinished, test, vi } from "vitest";
import { createApp } from "./app.js";

async function start(): Promise<string> {
  const app = await createApp({ store: createMemoryStore(), secrets: generateSecrets() });
  const server = app.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("a gateway works behind the app's middleware and accepts the app's sessions", async () => {
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  const shop = await start();
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

  const cookie = signIn.headers.get("set-cookie")?.split(";")[0] ?? "";
  const dashboard = createUserClient({
    baseUrl,
    fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, cookie } }),
  });
  expect((await dashboard.listDevices())._unsafeUnwrap().devices).toHaveLength(1);
  const nobody = createUserClient({ baseUrl });
  expect((await nobody.listDevices())._unsafeUnwrapErr().code).toBe("unauthorized");

  const health = await fetch(`${baseUrl}/healthz`);
  expect(health.headers.get("x-served-by")).toBe("the shop");
  expect(await (await fetch(shop)).text()).toBe("The shop.");
});
