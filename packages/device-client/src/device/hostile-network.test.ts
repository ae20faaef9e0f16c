import { once } from "node:events";
import { request as requestOverTls } from "node:https";
import { createTestCloud } from "@device-gateway/testing/cloud";
import { expect, onTestFinished, test } from "vitest";
import type { Fetch } from "../call-route.js";
import { createDeviceClient } from "../device-client.js";
import { listen } from "../testing/serve-gateway.js";
import { createDevice } from "./device.js";

const identity = {
  deviceId: "gw-1",
  hardwareId: "esp32",
  firmwareVersion: "1.0.0",
  claimCode: "ABCD-EFGH",
};
const oneTry = { tries: 1 };

/**
 * A `fetch` that trusts one certificate authority. Node's own `fetch` reads its authorities only when the process
 * starts.
 */
const fetchTrusting =
  (ca: string): Fetch =>
  async (url, { method = "GET", headers, body }) => {
    const sent = requestOverTls(url, {
      ca,
      method,
      headers: headers as Record<string, string>,
      agent: false,
    });
    sent.end(body);
    const [answer] = await once(sent, "response");
    const pieces: Uint8Array[] = [];
    for await (const piece of answer) pieces.push(piece);
    return new Response(Buffer.concat(pieces), {
      status: answer.statusCode,
      headers: { "content-type": answer.headers["content-type"] ?? "" },
    });
  };

async function start() {
  const cloud = await createTestCloud({ realTime: true });
  onTestFinished(() => cloud.close());
  return cloud;
}

test("§1 a redirect does not carry the claim code to another server", async () => {
  const cloud = await start();
  let visits = 0;
  const elsewhere = await listen((_, response) => {
    visits += 1;
    response.end("{}");
  });
  const device = createDevice({ baseUrl: await cloud.listen(), identity, retry: oneTry });
  const redirected = { kind: "redirected", status: 307, location: elsewhere } as const;
  cloud.fail("registerDevice", redirected);
  expect((await device.connect())._unsafeUnwrapErr()).toMatchObject({
    code: "unexpected_answer",
    status: 307,
  });
  expect(visits).toBe(0);
  expect((await device.connect()).isOk()).toBe(true);
});

test("a device sends nothing to a server whose certificate it cannot trust", async () => {
  const cloud = await start();
  const baseUrl = await cloud.listen({ tls: true });
  const fetch = fetchTrusting(cloud.tlsAuthority);
  const device = createDevice({ baseUrl, identity, fetch, retry: oneTry });
  expect((await device.record({ soc: 64 })).isOk()).toBe(true);
  for (const kind of ["self_signed", "expired", "wrong_name"] as const) {
    cloud.presentCertificate(kind);
    expect((await device.flush())._unsafeUnwrapErr()).toMatchObject({ code: "network" });
  }
  expect(cloud.requests).toEqual([]);
  cloud.presentCertificate("valid");
  expect((await device.flush())._unsafeUnwrap()).toMatchObject({ accepted: 1 });
});

test("a response that drips slower than the time-out is a network error", async () => {
  const cloud = await start();
  const baseUrl = await cloud.listen();
  cloud.fail("readConfig", { kind: "slow", pieceBytes: 1, everyMs: 60 });
  // Its headers have arrived before the client begins to wait, however busy the machine is.
  const dripping = await fetch(`${baseUrl}/api/v1/device/config`);
  const client = createDeviceClient({ baseUrl, timeoutMs: 50, fetch: async () => dripping });
  expect((await client.readConfig())._unsafeUnwrapErr()).toMatchObject({
    code: "network",
    message: expect.stringContaining("timed out"),
  });
});
