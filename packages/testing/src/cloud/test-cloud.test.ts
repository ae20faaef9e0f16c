import { request as requestOverTls } from "node:https";
import { type LogFields, operator, silentLogger } from "@device-gateway/core";
import { createMemoryStore } from "@device-gateway/store-memory";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createTestCloud } from "./create-test-cloud.js";
import type { Fault } from "./fault.js";
import type { TestCloud, TestCloudOptions } from "./test-cloud.js";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

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

test("a response that a fault changes has the length, and in small pieces all bytes, that the server sends", async () => {
  const settings = z.object({ site: z.string().optional() });
  const cloud = await start({ gateway: { config: { settings } } });
  const url = await cloud.listen();
  const { deviceId, token } = await cloud.addDevice();
  const ops = cloud.gateway.as(operator({ id: "ops" }));
  const configured = await ops.configureDevice({ params: { deviceId }, body: { site: "🔋" } });
  expect(configured.isOk()).toBe(true);
  const readConfig = async () => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${url}/api/v1/device/config`, { headers });
    const bytes = Buffer.from(await response.arrayBuffer());
    return { bytes, length: response.headers.get("content-length") };
  };
  const whole = await readConfig();
  expect(whole.length).toBe(String(whole.bytes.length));
  const at = whole.bytes.indexOf("🔋");
  expect(at).toBeGreaterThan(0);

  cloud.fail("readConfig", { kind: "slow", pieceBytes: 1, everyMs: 0 });
  expect(await readConfig()).toEqual(whole);
  cloud.fail("readConfig", { kind: "corrupted", atByte: at });
  const { bytes, length } = await readConfig();
  expect(length).toBe(whole.length);
  const places = [...bytes.keys()].filter((place) => bytes[place] !== whole.bytes[place]);
  expect(places).toEqual([at]);
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

test("a reset with an invalid option changes nothing", async () => {
  const cloud = await start();
  const { deviceId, token } = await cloud.addDevice();
  await sendReading(cloud, token);
  const commands = { "update-now": { payload: z.object({}), sentBy: ["operator"] } } as const;
  await expect(cloud.reset({ gateway: { commands } })).rejects.toThrow("update-now");
  expect(await cloud.records(deviceId)).toEqual([{ soc: 64 }]);
  await sendReading(cloud, token);
  expect(await cloud.records(deviceId)).toEqual([{ soc: 64 }, { soc: 64 }]);
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
  const now = cloud.clock.now();
  await cloud.revoke(deviceId);
  expect(await status()).toBe(401);
  expect(cloud.clock.now()).toBe(now);
});

test("a device that does not exist cannot be revoked", async () => {
  const cloud = await start();
  await expect(cloud.revoke("gw-9")).rejects.toThrow("device_not_found");
});

test("a device that never used its registration cannot log in after a week", async () => {
  const cloud = await start();
  const { deviceId, deviceSecret } = await cloud.addDevice();
  const logIn = async () =>
    (
      await cloud.fetch(`${cloud.baseUrl}/api/v1/device/login`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ deviceId, deviceSecret }),
      })
    ).status;
  cloud.clock.advance(8 * dayMs);
  expect(await logIn()).toBe(401);
  expect((await cloud.auditTrail()).map(({ kind }) => kind)).toContain("device.dropped");
});

test("an update times out if the clock advances by a day without a report", async () => {
  const cloud = await start();
  const image = new Uint8Array([1, 2, 3]);
  await cloud.addRelease({ version: "1.1.0", targetHardware: "esp32:devkit-v1", image });
  const { token } = await cloud.addDevice();
  const call = async (path: string, init: RequestInit = {}) =>
    (
      await cloud.fetch(`${cloud.baseUrl}/api/v1${path}`, {
        ...init,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      })
    ).status;
  expect(await call("/ota/latest")).toBe(200);
  const body = JSON.stringify({ state: "downloading", version: "1.1.0" });
  expect(await call("/ota/events", { method: "POST", body })).toBe(202);
  const updates = async () => (await cloud.gateway.readLevels()).fleet?.updates;
  expect(await updates()).toMatchObject({ downloading: 1 });
  await cloud.sleep(25 * hourMs);
  expect(await updates()).toMatchObject({ timed_out: 1 });
});

test("maintenance runs once when the clock has advanced by ten minutes or by ten years", async () => {
  const store = createMemoryStore();
  let rounds = 0;
  const prune: typeof store.budgets.prune = (input) => {
    rounds += 1;
    return store.budgets.prune(input);
  };
  const cloud = await start({
    gateway: { store: { ...store, budgets: { ...store.budgets, prune } } },
  });
  const get = () => read(cloud.fetch(`${cloud.baseUrl}/healthz`));
  cloud.clock.advance(10 * 60_000 - 1);
  await get();
  expect(rounds).toBe(0);
  cloud.clock.advance(1);
  await Promise.all([get(), get(), get()]);
  expect(rounds).toBe(1);
  cloud.clock.advance(3_650 * dayMs);
  await get();
  await get();
  expect(rounds).toBe(2);
  await cloud.sleep(10 * 60_000);
  expect(rounds).toBe(3);
});

test("a failed round of maintenance is logged, and requests are answered", async () => {
  const store = createMemoryStore();
  const fault = new Error("planted");
  const budgets = { ...store.budgets, prune: () => Promise.reject(fault) };
  const errors: unknown[] = [];
  const error = ({ err }: LogFields) => errors.push(err);
  const logger = { ...silentLogger, error };
  const cloud = await start({ gateway: { store: { ...store, budgets }, logger } });
  cloud.clock.advance(hourMs);
  expect((await cloud.fetch(`${cloud.baseUrl}/healthz`)).status).toBe(200);
  expect(errors).toEqual([fault]);
});

test("a real-time clock runs by itself and can be advanced", async () => {
  const { clock } = await start({ realTime: true });
  expect(Math.abs(clock.now() - Date.now())).toBeLessThan(1_000);
  clock.advance(3_600_000);
  expect(clock.now() - Date.now()).toBeGreaterThan(3_599_000);
});
