import { createGateway, generateSecrets } from "@device-gateway/core";
import { createLibuvSlowHash } from "@device-gateway/core/node";
import { createDeviceClient } from "@device-gateway/device-client";
import { createMemoryStore } from "@device-gateway/store-memory";
import { expect, test } from "vitest";
import { createApp } from "./app.js";

test("a Hono app serves a gateway next to its own routes", async () => {
  const app = createApp(
    await createGateway({
      store: createMemoryStore(),
      secrets: generateSecrets(),
      slowHash: createLibuvSlowHash(),
    }),
    () => ({ remote: { address: "192.0.2.1" } }),
  );
  const fetch = async (url: string, init?: RequestInit) => app.fetch(new Request(url, init));
  const client = createDeviceClient({ baseUrl: "http://shop.test/iot", fetch });
  const identity = { deviceId: "gw-1", hardwareId: "esp32", firmwareVersion: "1.0.0" };
  expect((await client.register({ ...identity, claimCode: "ABCD-EFGH" })).isOk()).toBe(true);
  expect((await client.sendTelemetry({ soc: 64 }))._unsafeUnwrap().accepted).toBe(1);
  expect((await fetch("http://shop.test/iot/healthz")).status).toBe(200);
  expect(await (await fetch("http://shop.test/")).text()).toBe("The shop.");
  expect((await fetch("http://shop.test/api/v1/openapi.json")).status).toBe(404);
});
