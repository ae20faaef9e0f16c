import { request as requestOverTls } from "node:https";
import { expect, onTestFinished, test } from "vitest";
import { createTestCloud } from "./create-test-cloud.js";
import type { Fault } from "./fault.js";
import type { TestCloud, TestCloudOptions } from "./test-cloud.js";

async function start(options: TestCloudOptions = {}): Promise<TestCloud> {
  const cloud = await createTestCloud(options);
  onTestFinished(() => cloud.close());
  return cloud;
}

/** Returns the two ways to send a request: in process and through a port. */
async function transportsOf(cloud: TestCloud) {
  const url = await cloud.listen();
  const openapi = "/api/v1/openapi.json";
  return [
    {
      name: "in process",
      get: (path = openapi) => cloud.fetch(cloud.baseUrl + path, { redirect: "manual" }),
    },
    { name: "on a port", get: (path = openapi) => fetch(url + path, { redirect: "manual" }) },
  ];
}

const read = async (response: Promise<Response>) => (await response).text();

test("each planned fault happens once, in process and on a port", async () => {
  const cloud = await start();
  for (const { get } of await transportsOf(cloud)) {
    const whole = await read(get());
    const failWith = (fault: Fault) => cloud.fail("readOpenApi", fault);

    failWith({ kind: "unreachable" });
    await expect(get()).rejects.toThrow(TypeError);
    expect(cloud.requests.at(-1)).toMatchObject({ route: "readOpenApi", status: null });

    failWith({ kind: "lost_answer" });
    await expect(get()).rejects.toThrow(TypeError);
    expect(cloud.requests.at(-1)).toMatchObject({ status: 200, fault: { kind: "lost_answer" } });

    failWith({ kind: "unavailable", retryAfterSeconds: 7 });
    const refused = await get();
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "7"]);

    failWith({ kind: "cut", afterBytes: 100 });
    await expect(read(get())).rejects.toThrow();

    failWith({ kind: "corrupted", atByte: 10 });
    const corrupted = await read(get());
    expect(corrupted).toHaveLength(whole.length);
    expect([...corrupted].filter((letter, i) => letter !== whole[i])).toHaveLength(1);

    failWith({ kind: "server_error", status: 502 });
    const broken = await get();
    expect([broken.status, broken.headers.get("retry-after")]).toEqual([502, null]);

    failWith({ kind: "captive_portal" });
    const portal = await get();
    expect([portal.status, portal.headers.get("content-type")]).toEqual([
      200,
      "text/html; charset=utf-8",
    ]);

    failWith({ kind: "redirected" });
    const moved = await get();
    expect([moved.status, moved.headers.get("location")]).toEqual([302, "/login"]);

    failWith({ kind: "unauthorized" });
    const spurious = await get();
    expect([spurious.status, (await spurious.json()).code]).toEqual([401, "unauthorized"]);

    failWith({ kind: "wrong_length", by: 10 });
    await expect(read(get())).rejects.toThrow();

    failWith({ kind: "wrong_length", by: -10 });
    expect(await read(get())).toBe(whole.slice(0, -10));

    failWith({ kind: "delayed", ms: 1 });
    expect(await read(get())).toBe(whole);

    failWith({ kind: "slow", pieceBytes: Math.ceil(whole.length / 3), everyMs: 1 });
    expect(await read(get())).toBe(whole);
    expect(await read(get())).toBe(whole);
  }
});

/** Sends a record without a timestamp, which is stored again if the request is repeated. */
async function sendReading(cloud: TestCloud, token: string) {
  const response = await cloud.fetch(`${cloud.baseUrl}/api/v1/telemetry`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: '{"soc":64}',
  });
  return (await response.json()) as { serverTime: string };
}

test("a duplicated request is handled twice, and a wrong time is only in the response", async () => {
  const cloud = await start();
  const { deviceId, token } = await cloud.addDevice();
  cloud.fail("sendTelemetry", { kind: "duplicated" });
  await sendReading(cloud, token);
  expect(await cloud.records(deviceId)).toHaveLength(2);
  expect(cloud.requestsTo("sendTelemetry").map(({ status }) => status)).toEqual([200, 200]);

  cloud.fail("sendTelemetry", { kind: "wrong_time", offsetMs: -3_600_000 });
  const { serverTime } = await sendReading(cloud, token);
  expect(Date.parse(serverTime)).toBe(cloud.clock.now() - 3_600_000);
});

test("an HTTPS port presents the certificate that the test chooses", async () => {
  const cloud = await start();
  const { port } = new URL(await cloud.listen({ tls: true }));
  const get = () =>
    new Promise<number | string>((resolve) => {
      const options = { port, host: "127.0.0.1", path: "/healthz", ca: cloud.tlsAuthority };
      requestOverTls({ ...options, agent: false }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      })
        .on("error", (fault: NodeJS.ErrnoException) => resolve(fault.code ?? fault.message))
        .end();
    });
  expect(await get()).toBe(200);
  cloud.presentCertificate("self_signed");
  expect(await get()).toBe("DEPTH_ZERO_SELF_SIGNED_CERT");
  cloud.presentCertificate("expired");
  expect(await get()).toBe("CERT_HAS_EXPIRED");
  cloud.presentCertificate("wrong_name");
  expect(await get()).toBe("ERR_TLS_CERT_ALTNAME_INVALID");
  await cloud.goOffline();
  await cloud.goOnline();
  expect(await get()).toBe("ERR_TLS_CERT_ALTNAME_INVALID");
  cloud.presentCertificate("valid");
  expect(await get()).toBe(200);
});

test("a reset leaves an empty cloud at the same address with the same release key", async () => {
  const cloud = await start();
  const url = await cloud.listen();
  const { deviceId, token } = await cloud.addDevice();
  await sendReading(cloud, token);
  cloud.fail("any", { kind: "unreachable" });
  cloud.clock.advance(1_000);
  const { releaseKey } = cloud;
  await cloud.goOffline();

  await cloud.reset({ gateway: { limits: { telemetryBodyBytes: 1_024 } } });
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  expect(cloud.requests).toHaveLength(1);
  expect(cloud.clock.now()).toBe(Date.UTC(2025, 0, 1));
  expect(await cloud.records(deviceId)).toEqual([]);
  expect((await cloud.addDevice({ deviceId })).deviceId).toBe(deviceId);
  expect(cloud.releaseKey).toBe(releaseKey);
  const image = new Uint8Array([1, 2, 3]);
  await cloud.addRelease({ version: "1.1.0", targetHardware: "esp32", image });
});

test("a restart and a reset end the requests that wait for commands", async () => {
  const cloud = await start();
  for (const change of [() => cloud.restart(), () => cloud.reset()]) {
    const { token } = await cloud.addDevice();
    const { gateway } = cloud;
    const waiting = cloud.fetch(`${cloud.baseUrl}/api/v1/device/commands?wait=45`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const countWaiting = async () => (await gateway.readLevels()).commandWaiters;
    await expect.poll(countWaiting).toBe(1);
    await change();
    expect(await countWaiting()).toBe(0);
    expect((await waiting).status).toBe(200);
  }
});

test("a fault affects only its route, and only after the given number of requests", async () => {
  const cloud = await start();
  const [inProcess] = await transportsOf(cloud);
  cloud.fail("readOpenApi", { kind: "unreachable" }, { after: 1, times: 2 });
  const outcomes = [];
  for (const path of [undefined, "/healthz", undefined, undefined, undefined]) {
    outcomes.push(
      await inProcess?.get(path).then(
        ({ status }) => status,
        () => "lost",
      ),
    );
  }
  expect(outcomes).toEqual([200, 200, "lost", "lost", 200]);
});

test("the cloud keeps its data while offline and over a restart", async () => {
  const cloud = await start();
  const { deviceId, token } = await cloud.addDevice({ owner: "alice" });
  const send = () =>
    cloud.fetch(`${cloud.baseUrl}/api/v1/telemetry`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: '{"soc":64}',
    });
  expect((await send()).status).toBe(200);
  await cloud.goOffline();
  await expect(send()).rejects.toThrow();
  await cloud.goOnline();
  await cloud.restart();
  expect((await send()).status).toBe(200);
  expect(await cloud.records(deviceId)).toEqual([{ soc: 64 }, { soc: 64 }]);
  expect(cloud.requestsTo("sendTelemetry").map(({ body }) => body)).toEqual([
    { soc: 64 },
    undefined,
    { soc: 64 },
  ]);
  cloud.expireTokens();
  expect((await send()).status).toBe(401);
  const kinds = (await cloud.auditTrail()).map(({ kind }) => kind);
  expect(kinds).toEqual(expect.arrayContaining(["device.registered", "device.claimed"]));
});

test("a revoked device is rejected at once", async () => {
  const cloud = await start();
  const { deviceId, token } = await cloud.addDevice();
  const headers = { authorization: `Bearer ${token}` };
  const status = async () =>
    (await cloud.fetch(`${cloud.baseUrl}/api/v1/device/config`, { headers })).status;
  expect(await status()).toBe(200);
  await cloud.revoke(deviceId);
  expect(await status()).toBe(401);
});

test("a real-time clock runs by itself and can be advanced", async () => {
  const { clock } = await start({ realTime: true });
  expect(Math.abs(clock.now() - Date.now())).toBeLessThan(1_000);
  clock.advance(3_600_000);
  expect(clock.now() - Date.now()).toBeGreaterThan(3_599_000);
});
