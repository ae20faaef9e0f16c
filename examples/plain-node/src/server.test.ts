import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDeviceClient } from "@device-gateway/device-client";
import { expect, test, vi } from "vitest";
import { createGatewayServer } from "./server.js";

/** Lets timers of a length never fire, so that a request that waits so long ends only for another reason. */
function putOff(length: number): void {
  const { setTimeout: start } = globalThis;
  const never = 2 ** 31 - 1;
  const startTimer = (work: (...input: unknown[]) => void, ms?: number, ...input: unknown[]) =>
    start(work, ms === length ? never : ms, ...input);
  vi.spyOn(globalThis, "setTimeout").mockImplementation(startTimer as never);
}

test("a gateway is a listener of node:http, leaves other paths to the app, and stops while a device waits", async () => {
  const folder = await mkdtemp(join(tmpdir(), "plain-node-"));
  const { server, stop } = await createGatewayServer(folder);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const client = createDeviceClient({
      baseUrl,
      fetch: (url, init) =>
        fetch(url, { ...init, headers: { ...init.headers, connection: "close" } }),
    });
    const identity = { deviceId: "gw-1", hardwareId: "esp32", firmwareVersion: "1.0.0" };
    expect((await client.register({ ...identity, claimCode: "ABCD-EFGH" })).isOk()).toBe(true);
    expect((await client.sendTelemetry({ soc: 64 }))._unsafeUnwrap().accepted).toBe(1);
    expect((await fetch(`${baseUrl}/elsewhere`)).status).toBe(404);

    putOff(20_000);
    const arrived = once(server, "request");
    const waiting = client.call("fetchCommands", { query: { wait: "20" } });
    await arrived;
    await stop();
    expect((await waiting)._unsafeUnwrap().commands).toEqual([]);
  } finally {
    if (server.listening) await stop();
    await rm(folder, { recursive: true });
  }
});
