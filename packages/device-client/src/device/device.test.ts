import { createSeededRandom } from "@device-gateway/testing";
import { createTestCloud, type TestCloudOptions } from "@device-gateway/testing/cloud";
import { expect, expectTypeOf, onTestFinished, test } from "vitest";
import type { Fetch } from "../call-route.js";
import type { ClientError } from "../client-error.js";
import { createDeviceClient } from "../device-client.js";
import { type Credentials, createMemoryCredentials } from "./credential-store.js";
import { createDevice, type DeviceOptions } from "./device.js";
import type { DeviceEvent } from "./device-event.js";

const identity = {
  deviceId: "gw-1",
  hardwareId: "esp32",
  firmwareVersion: "1.0.0",
  claimCode: "ABCD-EFGH",
};

async function start(options: TestCloudOptions = {}) {
  const cloud = await createTestCloud(options);
  onTestFinished(() => cloud.close());
  const credentials = createMemoryCredentials();
  const events: DeviceEvent[] = [];
  const boot = (changes: Partial<DeviceOptions> = {}) =>
    createDevice({
      baseUrl: cloud.baseUrl,
      fetch: cloud.fetch,
      identity,
      credentials,
      clock: cloud.clock,
      sleep: cloud.sleep,
      random: createSeededRandom(),
      onEvent: (event) => events.push(event),
      ...changes,
    });
  const kinds = () => events.map(({ kind }) => kind);
  const waits = () => events.flatMap((event) => (event.kind === "retrying" ? [event.waitMs] : []));
  return { cloud, boot, events, kinds, waits, credentials };
}

test("§1 §2 a device registers once, and after a restart it logs in with its secret", async () => {
  const { cloud, boot, kinds } = await start();
  expect((await boot().connect()).isOk()).toBe(true);
  expect((await boot().readConfig())._unsafeUnwrap()).toMatchObject({ otaEnabled: true });
  expect(kinds()).toEqual(["registered", "logged_in"]);
  expect(cloud.requestsTo("registerDevice")).toHaveLength(1);
});

test("§0 an expired token is renewed by one login for all pending calls", async () => {
  const { cloud, boot } = await start();
  const device = boot();
  expect((await device.connect()).isOk()).toBe(true);
  cloud.expireTokens();
  const calls = await Promise.all([device.readConfig(), device.readConfig(), device.readConfig()]);
  expect(calls.every((call) => call.isOk())).toBe(true);
  expect(cloud.requestsTo("loginDevice")).toHaveLength(1);
});

test("a 401 whose body is a proxy's leads to one login for each call", async () => {
  const { cloud, boot } = await start();
  let refusals = 1;
  const fetch: Fetch = async (url, init) =>
    url.endsWith("/device/config") && refusals-- > 0
      ? new Response("<h1>Unauthorized</h1>", { status: 401 })
      : cloud.fetch(url, init);
  const device = boot({ fetch });
  expect((await device.connect()).isOk()).toBe(true);
  expect((await device.readConfig()).isOk()).toBe(true);
  expect(cloud.requestsTo("loginDevice")).toHaveLength(1);
  refusals = 2;
  const error = (await device.readConfig())._unsafeUnwrapErr();
  expect(error).toMatchObject({ code: "unexpected_answer", status: 401 });
  expect(cloud.requestsTo("loginDevice")).toHaveLength(2);
});

test("§1 lost responses to registration and login do not lock the device out", async () => {
  const { cloud, boot } = await start();
  cloud.fail("registerDevice", { kind: "lost_answer" }, { times: 2 });
  cloud.fail("loginDevice", { kind: "lost_answer" }, { times: 2 });
  expect((await boot().connect()).isOk()).toBe(true);
  expect((await boot().connect()).isOk()).toBe(true);
  expect(cloud.requestsTo("registerDevice").map(({ status }) => status)).toEqual([201, 200, 200]);
});

test("§2 a secret that a login rotates is stored before it is used", async () => {
  const { cloud, boot, credentials } = await start({ gateway: { rotateSecretAfterSeconds: 60 } });
  expect((await boot().connect()).isOk()).toBe(true);
  const before = await credentials.load();
  cloud.clock.advance(61_000);
  const device = boot();
  expect((await device.connect()).isOk()).toBe(true);
  const after = await credentials.load();
  expect(after).not.toEqual(before);
  expect((await device.readConfig()).isOk()).toBe(true);
  expect((await boot().connect()).isOk()).toBe(true);
});

test("§1 a failed credential store gives an error, and the next call tries again", async () => {
  const { cloud, boot, credentials } = await start({ gateway: { rotateSecretAfterSeconds: 60 } });
  let broken: "load" | "save" | null = "load";
  const failing = {
    async load() {
      if (broken === "load") throw new Error("flash worn out");
      return credentials.load();
    },
    async save(secret: Credentials) {
      if (broken === "save") throw new Error("flash worn out");
      return credentials.save(secret);
    },
  };
  const failed = { code: "storage", message: "The credential store failed: flash worn out" };
  const device = boot({ credentials: failing });
  expect((await device.connect())._unsafeUnwrapErr()).toEqual(failed);
  expect((await device.readConfig())._unsafeUnwrapErr()).toEqual(failed);
  expect((await device.record({ soc: 64 })).isOk()).toBe(true);
  expect((await device.flush())._unsafeUnwrapErr()).toEqual(failed);
  broken = "save";
  expect((await device.connect())._unsafeUnwrapErr()).toEqual(failed);
  broken = null;
  expect((await device.flush()).isOk()).toBe(true);

  cloud.clock.advance(61_000);
  broken = "save";
  const restarted = boot({ credentials: failing });
  expect((await restarted.connect())._unsafeUnwrapErr()).toEqual(failed);
  expect(restarted.token).toBeUndefined();
  broken = null;
  expect((await restarted.connect()).isOk()).toBe(true);
});

test("§1 a device registers again if the server has lost its database", async () => {
  const first = await start();
  expect((await first.boot().connect()).isOk()).toBe(true);
  const second = await start();
  const device = second.boot({ credentials: first.credentials });
  expect((await device.readConfig()).isOk()).toBe(true);
  expect(second.kinds()).toEqual(["registered"]);
});

test("§1 a call of a revoked device says why it cannot sign in, after one attempt", async () => {
  const { cloud, boot } = await start();
  const device = boot();
  expect((await device.connect()).isOk()).toBe(true);
  await cloud.revoke("gw-1");
  const error = (await device.readConfig())._unsafeUnwrapErr();
  expect(error).toMatchObject({
    code: "unauthorized",
    cause: { code: "device_already_registered", status: 409 },
  });
  expect(cloud.requestsTo("readConfig")).toHaveLength(1);
  expect(cloud.requestsTo("loginDevice")).toHaveLength(1);
});

test("§0 a transient error while signing in is not reported as unauthorized", async () => {
  const { cloud, boot } = await start({ gateway: { limits: { authPerMinute: 1 } } });
  expect((await boot().connect()).isOk()).toBe(true);
  const device = boot({ retry: { tries: 1 } });
  cloud.fail("loginDevice", { kind: "unavailable", retryAfterSeconds: 7 });
  const unavailable = { code: "unavailable", status: 503, retryAfterSeconds: 7 };
  expect((await device.readConfig())._unsafeUnwrapErr()).toMatchObject(unavailable);
  expect((await device.record({ soc: 64 })).isOk()).toBe(true);
  cloud.fail("loginDevice", { kind: "unavailable", retryAfterSeconds: 7 });
  expect((await device.flush())._unsafeUnwrapErr()).toMatchObject(unavailable);
  const throttled = (await device.readConfig())._unsafeUnwrapErr();
  expect(throttled).toMatchObject({ code: "too_many_requests", status: 429 });
});

test("§0 a device waits as long as Retry-After says, plus a random delay that spreads a fleet", async () => {
  const { cloud, boot, waits } = await start();
  const device = boot();
  expect((await device.connect()).isOk()).toBe(true);
  cloud.fail("readConfig", { kind: "unavailable", retryAfterSeconds: 7 }, { times: 3 });
  expect((await device.readConfig()).isOk()).toBe(true);
  expect(waits()).toHaveLength(3);
  for (const [attempt, waitMs] of waits().entries()) {
    expect(waitMs).toBeGreaterThanOrEqual(7_000);
    expect(waitMs).toBeLessThan(7_000 + 1_000 * 2 ** attempt);
  }
});

test("a Retry-After above the maximum delay ends the attempts", async () => {
  const { cloud, boot, waits } = await start();
  cloud.fail("registerDevice", { kind: "unavailable", retryAfterSeconds: 3_600 });
  const error = (await boot().connect())._unsafeUnwrapErr();
  expect(error).toMatchObject({ code: "unavailable", retryAfterSeconds: 3_600 });
  expect(waits()).toEqual([]);
});

test("without a response a call fails after its attempts, and the next call starts again", async () => {
  const { cloud, boot } = await start();
  const device = boot({ retry: { tries: 3 } });
  await cloud.goOffline();
  expect((await device.readConfig())._unsafeUnwrapErr().code).toBe("network");
  expect(cloud.requests).toHaveLength(3);
  await cloud.goOnline();
  expect((await device.readConfig()).isOk()).toBe(true);
});

test("§4 only a request that is safe to repeat is repeated", async () => {
  const { cloud, boot } = await start();
  const device = boot();
  expect((await device.connect()).isOk()).toBe(true);
  const sendAndLoseResponse = async (
    request: Parameters<typeof device.call<"sendTelemetry">>[1],
  ) => {
    const before = cloud.requestsTo("sendTelemetry").length;
    cloud.fail("sendTelemetry", { kind: "lost_answer" });
    const repeated = (await device.call("sendTelemetry", request)).isOk();
    return { repeated, requests: cloud.requestsTo("sendTelemetry").length - before };
  };
  const timestamp = new Date(cloud.clock.now()).toISOString();
  expect(await sendAndLoseResponse({ body: { soc: 64 } })).toEqual({
    repeated: false,
    requests: 1,
  });
  expect(
    await sendAndLoseResponse({ body: { records: [{ timestamp, soc: 1 }, { soc: 2 }] } }),
  ).toEqual({
    repeated: false,
    requests: 1,
  });
  for (const none of [null, undefined]) {
    const body = { timestamp: none, soc: 0 } as never;
    expect(await sendAndLoseResponse({ body })).toEqual({ repeated: false, requests: 1 });
  }
  expect(await sendAndLoseResponse({ body: [{ timestamp, soc: 3 }] })).toEqual({
    repeated: true,
    requests: 2,
  });
  expect(
    await sendAndLoseResponse({ body: { soc: 4 }, headers: { "idempotency-key": "k" } }),
  ).toEqual({
    repeated: true,
    requests: 2,
  });
  const stored = await cloud.records("gw-1");
  expect(stored.map((record) => (record as { soc: number }).soc)).toEqual([64, 1, 2, 0, 0, 3, 4]);
});

test("§5 a configuration that has not changed is not sent again", async () => {
  const { cloud, boot } = await start();
  const device = boot();
  const first = (await device.readConfig())._unsafeUnwrap();
  expect((await device.readConfig())._unsafeUnwrap()).toEqual(first);
  expect(cloud.requestsTo("readConfig").map(({ status }) => status)).toEqual([200, 304]);
});

test("§5 a 304 to a request without If-None-Match is an error of the call", async () => {
  const { cloud, boot } = await start();
  const fetch: Fetch = async (url, init) =>
    url.endsWith("/device/config") ? new Response(null, { status: 304 }) : cloud.fetch(url, init);
  const device = boot({ fetch });
  expect((await device.readConfig())._unsafeUnwrapErr()).toMatchObject({
    code: "unexpected_answer",
    status: 304,
  });
});

test("a response that never arrives is a network error, even if fetch ignores the signal", async () => {
  const fetch = () => new Promise<Response>(() => {});
  const client = createDeviceClient({ baseUrl: "http://cloud.test", fetch, timeoutMs: 20 });
  expect((await client.readConfig())._unsafeUnwrapErr().code).toBe("network");
});

test("the error type of a call has the route's own codes", async () => {
  const { boot } = await start();
  const device = boot();
  const config = await device.readConfig();
  if (config.isErr()) {
    expectTypeOf(config.error.code).toEqualTypeOf<
      | "unauthorized"
      | "internal"
      | "unavailable"
      | "network"
      | "unexpected_answer"
      | "unsendable"
      // From signing in.
      | "too_many_requests"
      | "too_many_attempts"
      | "storage"
    >();
    expectTypeOf(config.error.cause).toEqualTypeOf<ClientError | undefined>();
  }
  expectTypeOf(config._unsafeUnwrap().configVersion).toEqualTypeOf<string>();
  // @ts-expect-error Not a route for devices.
  expect(() => device.call("listDevices", {})).not.toThrow();
  // @ts-expect-error The body is missing.
  expect((await device.call("sendTelemetry", {})).isErr()).toBe(true);
});
