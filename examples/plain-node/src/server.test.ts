import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDeviceClient } from "@device-gateway/device-client";
import { expect, test } from "vitest";
import { createGatewayServer } from "./server.js";

test("a gateway is a listener of node:http, and other paths are free for the app", async () => {
  const folder = await mkdtemp(join(tmpdir(), "plain-node-"));
  const server = await createGatewayServer(folder);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const client = createDeviceClient({ baseUrl });
    const identity = { deviceId: "gw-1", hardwareId: "esp32", firmwareVersion: "1.0.0" };
    expect((await client.register({ ...identity, claimCode: "ABCD-EFGH" })).isOk()).toBe(true);
    expect((await client.sendTelemetry({ soc: 64 }))._unsafeUnwrap().accepted).toBe(1);
    expect((await fetch(`${baseUrl}/elsewhere`)).status).toBe(404);
  } finally {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
    await rm(folder, { recursive: true });
  }
});
