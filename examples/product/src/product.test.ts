import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDeviceClient } from "@device-gateway/device-client";
import { createMemoryArtifactStore } from "@device-gateway/store-memory";
import { createReleaseSigner, sampleImage, toArtifactFacts } from "@device-gateway/testing";
import { expect, onTestFinished, test } from "vitest";
import { startProduct } from "./product.js";

async function start() {
  const folder = await mkdtemp(join(tmpdir(), "product-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const signer = await createReleaseSigner("key-1");
  const { server, stop } = await startProduct(folder, {
    firmware: { keys: [signer.key], artifacts: createMemoryArtifactStore() },
    scryptCost: { logN: 4, r: 8, p: 1 },
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ask = async (
    path: string,
    headers: Record<string, string> = {},
    body?: object,
    method = body ? "POST" : "GET",
  ) => {
    const response = await fetch(url + path, {
      method,
      headers: { "content-type": "application/json", connection: "close", ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const register = async (deviceId: string) => {
    const client = createDeviceClient({ baseUrl: `${url}/iot` });
    const identity = { deviceId, hardwareId: "board", firmwareVersion: "1.0.0" };
    const claimCode = `CODE-${deviceId}`;
    (await client.register({ ...identity, claimCode }))._unsafeUnwrap();
    return { client, claim: { deviceId, claimCode } };
  };
  return { stop, ask, register, signer };
}

test("a customer of a product sends a command, and the device reports its result", async () => {
  const { ask, register, stop } = await start();
  const { body: signedIn } = await ask("/sign-in", {}, { id: "alice" });
  const alice = { "x-session": String(signedIn["session"]) };
  const { client, claim } = await register("gw-1");
  await ask("/devices", alice, claim);
  expect((await ask("/devices/gw-1/blink", alice, { times: 10 })).status).toBe(400);
  expect((await ask("/devices/gw-1/blink", alice, { times: 3 })).status).toBe(201);
  const fetched = (await client.call("fetchCommands", { query: { wait: "20" } }))._unsafeUnwrap();
  const [command] = fetched.commands;
  expect(command).toMatchObject({ name: "blink", payload: { times: 3 } });
  const params = { commandId: command?.commandId ?? "" };
  const reported = await client.call("reportCommand", { params, body: { status: "done" } });
  expect(reported.isOk()).toBe(true);
  await stop();
});

test("a product claims devices by its own rule and rows, finds them by its own facts, publishes firmware and stops", async () => {
  const { ask, register, signer, stop } = await start();
  const { body: signedIn } = await ask("/sign-in", {}, { id: "alice" });
  const alice = { "x-session": String(signedIn["session"]) };
  const devices = [await register("gw-1"), await register("gw-2"), await register("gw-3")];

  const statuses: unknown[] = [];
  for (const { claim } of devices) {
    const { status, body } = await ask("/devices", alice, claim);
    statuses.push([status, body["reason"]]);
  }
  expect(statuses).toEqual([
    [201, undefined],
    [201, undefined],
    [403, "device_limit"],
  ]);
  const wrong = await ask("/devices", alice, { deviceId: "gw-3", claimCode: "WRONG-ONE" });
  expect(wrong.status).toBe(401);
  const { body } = await ask("/devices", alice);
  expect(body["devices"]).toMatchObject([{ id: "gw-1" }, { id: "gw-2" }]);
  expect((await ask("/devices")).status).toBe(401);

  const admin = { "x-admin": "swordfish" };
  const facts = { customerNumber: "C-7", site: "Pier 9" };
  expect((await ask("/admin/devices/gw-2", admin, facts, "PATCH")).status).toBe(200);
  const found = await ask("/admin/devices?with=customerNumber:C-7", admin);
  expect(found.body["devices"]).toMatchObject([{ id: "gw-2", ownerId: "alice" }]);
  expect((await ask("/devices/gw-2", alice)).body["metadata"]).toEqual({ site: "Pier 9" });

  const image = sampleImage(64);
  const signedFacts = {
    version: "1.1.0",
    targetHardware: "board",
    releasedAt: "2026-01-31T12:00:00Z",
    ...toArtifactFacts(image),
  };
  const signed = { signature: await signer.sign(signedFacts), signingKeyId: signer.key.id };
  const release = { ...signedFacts, ...signed, signatureAlgorithm: signer.algorithm };
  const published = await ask("/admin/releases", admin, {
    release,
    image: Buffer.from(image).toString("base64"),
  });
  expect([published.status, published.body["status"]]).toEqual([201, "active"]);

  // The device reaches the gateway over HTTP, below the same app.
  expect((await devices[0]?.client.sendTelemetry({ soc: 64 }))?._unsafeUnwrap().accepted).toBe(1);
  await stop();
});
