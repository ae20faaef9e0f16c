import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDeviceClient } from "@device-gateway/device-client";
import { expect, test, vi } from "vitest";

test("the README's example serves a gateway and stops on SIGTERM", async () => {
  const folder = await mkdtemp(join(tmpdir(), "embed-"));
  const before = process.cwd();
  const listen = vi.spyOn(Server.prototype, "listen");
  vi.stubEnv("PORT", "0");
  process.chdir(folder);
  const others = process.listeners("SIGTERM");
  /** Stops the server as the signal does. Returns false if there is nothing to stop. */
  const stop = async () => {
    const [listener] = process.listeners("SIGTERM").filter((it) => !others.includes(it));
    if (listener === undefined) return false;
    process.off("SIGTERM", listener);
    const closed = once(listen.mock.contexts[0] as Server, "close");
    listener("SIGTERM");
    await closed;
    return true;
  };
  try {
    await import("./embed.js");
    const server = listen.mock.contexts[0] as Server;
    if (!server.listening) await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const client = createDeviceClient({ baseUrl: `http://127.0.0.1:${port}` });
    const identity = { deviceId: "gw-1", hardwareId: "esp32", firmwareVersion: "0.1.4" };
    const registered = await client.register({ ...identity, claimCode: "ABCD-EFGH" });
    expect(registered.isOk()).toBe(true);
    expect((await client.sendTelemetry({ soc: 64 }))._unsafeUnwrap().accepted).toBe(1);
    expect(await stop()).toBe(true);
  } finally {
    await stop();
    process.chdir(before);
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true });
  }
});
