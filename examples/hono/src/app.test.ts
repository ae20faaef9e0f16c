import type { AddressInfo } from "node:net";
import { createGateway, generateSecrets, toFetchHandler } from "@device-gateway/core";
import { createLibuvSlowHash, startMaintenance } from "@device-gateway/core/node";
import { createDeviceClient } from "@device-gateway/device-client";
import { createMemoryStore } from "@device-gateway/store-memory";
import { serve } from "@hono/node-server";
import { getConnInfo } from "@hono/node-server/conninfo";
import { type Context, Hono } from "hono";
import { expect, onTestFinished, test } from "vitest";
import { createApp } from "./app.js";

/** Starts an app on Node, and returns its URL. */
async function listen(app: Hono): Promise<string> {
  const { address, port } = await new Promise<AddressInfo>((resolve) => {
    const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, resolve);
    onTestFinished(() => void server.close());
  });
  return `http://${address}:${port}`;
}

async function startGateway() {
  const store = createMemoryStore();
  const secrets = generateSecrets();
  const gateway = await createGateway({ store, secrets, slowHash: createLibuvSlowHash() });
  const maintenance = startMaintenance(gateway);
  onTestFinished(() => maintenance.stop());
  const readAddresses = async () => {
    const events = await store.securityEvents.list({ after: 0, limit: 10 });
    return events.map(({ clientAddress }) => clientAddress);
  };
  return { gateway, readAddresses };
}

async function registerAndSend(baseUrl: string) {
  const client = createDeviceClient({ baseUrl });
  const identity = { deviceId: "gw-1", hardwareId: "esp32", firmwareVersion: "1.0.0" };
  expect((await client.register({ ...identity, claimCode: "ABCD-EFGH" })).isOk()).toBe(true);
  expect((await client.sendTelemetry({ soc: 64 }))._unsafeUnwrap().accepted).toBe(1);
}

test("a Hono app serves a gateway next to its own routes", async () => {
  const { gateway, readAddresses } = await startGateway();
  const url = await listen(createApp(gateway, getConnInfo));
  await registerAndSend(`${url}/iot`);
  expect(await readAddresses()).toEqual(["127.0.0.1"]);
  expect((await fetch(`${url}/iot/healthz`)).status).toBe(200);
  expect(await (await fetch(url)).text()).toBe("The shop.");
  expect((await fetch(`${url}/api/v1/openapi.json`)).status).toBe(404);
});

test("app.mount serves a gateway if it keeps the path and passes the context", async () => {
  const { gateway, readAddresses } = await startGateway();
  const handler = toFetchHandler(gateway, {
    mountPath: "/iot",
    clientAddress: (_, context: Context) => getConnInfo(context).remote.address ?? null,
  });
  const app = new Hono().mount("/iot", handler, {
    replaceRequest: false,
    optionHandler: (context) => context,
  });
  const url = await listen(app);
  await registerAndSend(`${url}/iot`);
  expect(await readAddresses()).toEqual(["127.0.0.1"]);
});
