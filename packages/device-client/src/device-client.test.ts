import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { createGateway, generateSecrets, toFetchHandler } from "@device-gateway/core";
import { createMemoryStore } from "@device-gateway/store-memory";
import { createFakeClock, fieldRecord } from "@device-gateway/testing";
import { expect, expectTypeOf, test } from "vitest";
import type { Fetch } from "./call-route.js";
import { createDeviceClient } from "./device-client.js";

const identity = {
  deviceId: "gw-1",
  hardwareId: "esp32",
  firmwareVersion: "0.1.4",
  claimCode: "ABCD-EFGH",
};

test.each(["127.0.0.1:3000", "gateway.example.com", "ftp://gateway.test", undefined])(
  "creating a client with an invalid address throws: %s",
  (baseUrl) => {
    const create = () => createDeviceClient({ baseUrl: baseUrl as string });
    expect(create).toThrow(TypeError);
    expect(create).toThrow(/^baseUrl: .* is not an http or https address\. Use one such as https:/);
  },
);

test("a page may leave out its own origin", () => {
  for (const baseUrl of ["", "/iot"]) expect(createDeviceClient({ baseUrl })).toBeDefined();
});

test.each([2 ** 31, Number.POSITIVE_INFINITY])(
  "a time-out that is longer than any timer does not end a call early: %d ms",
  async (timeoutMs) => {
    const config = { telemetryIntervalSeconds: 60, otaEnabled: true, configVersion: "v1" };
    const fetch: Fetch = async () => {
      // A timer that is set to too much ends after a millisecond.
      await sleep(20);
      return Response.json(config);
    };
    const client = createDeviceClient({ baseUrl: "http://gateway.test", fetch, timeoutMs });
    expect((await client.readConfig())._unsafeUnwrap()).toEqual(config);
  },
);

async function start() {
  const clock = createFakeClock();
  const store = createMemoryStore();
  const handler = toFetchHandler(
    await createGateway({
      store,
      clock,
      secrets: generateSecrets(),
      scryptCost: { logN: 4, r: 8, p: 1 },
      limits: { authPerMinute: 12 },
    }),
    { clientAddress: () => null },
  );
  const fetch: Fetch = (url, init) => handler(new Request(url, init));
  const connect = (token?: string) =>
    createDeviceClient({ baseUrl: "http://gateway.test/", fetch, ...(token && { token }) });
  return { clock, store, connect };
}

test("a gateway registers, logs in, reads its configuration and sends telemetry", async () => {
  const { connect, store } = await start();
  const client = connect();
  const { deviceId, deviceSecret } = (await client.register(identity))._unsafeUnwrap();
  const registered = client.token;

  expect((await client.login({ deviceId, deviceSecret })).isOk()).toBe(true);
  expect(client.token).toEqual(expect.any(String));
  const config = (await client.readConfig())._unsafeUnwrap();
  const knownVersion = config?.configVersion ?? "";
  expect((await client.readConfig({ knownVersion }))._unsafeUnwrap()).toBeNull();

  const sent = (await client.sendTelemetry(fieldRecord))._unsafeUnwrap();
  expect(sent).toMatchObject({ accepted: 1, configVersion: knownVersion });
  const [record] = await store.telemetry.read({ deviceId, after: 0, limit: 1 });
  expect(record?.value).toEqual(fieldRecord);

  const resumed = connect(registered);
  expect((await resumed.readConfig()).isOk()).toBe(true);
});

test("an idempotency key makes a request safe to repeat", async () => {
  const { connect } = await start();
  const client = connect();
  expect((await client.register(identity)).isOk()).toBe(true);
  const send = (a: number) => client.sendTelemetry({ a }, { idempotencyKey: "k" });
  const first = await send(1);
  expect(await send(1)).toEqual(first);
  expect((await send(2))._unsafeUnwrapErr().code).toBe("idempotency_key_reused");
});

test("an error has the route's own code and the details that the server sent", async () => {
  const { connect } = await start();
  const client = connect();
  const refused = (await client.login({ deviceId: "gw-1", deviceSecret: "x" }))._unsafeUnwrapErr();
  expect(refused).toMatchObject({ code: "invalid_credentials", status: 401 });
  expect(refused.requestId).toEqual(expect.any(String));
  expectTypeOf(refused.code).extract<"idempotency_key_reused">().toBeNever();

  const invalid = (await client.register({ ...identity, claimCode: "x" }))._unsafeUnwrapErr();
  expect(invalid.errors).toEqual([expect.objectContaining({ path: "claimCode" })]);

  const login = () => client.login({ deviceId: "gw-1", deviceSecret: "x" });
  for (let i = 0; i < 12; i++) expect((await login()).isErr()).toBe(true);
  const throttled = (await login())._unsafeUnwrapErr();
  expect(throttled.code).toBe("too_many_requests");
  // The server adds up to half, so that clients do not return at once.
  expect(throttled.retryAfterSeconds).toBeGreaterThanOrEqual(5);
  expect(throttled.retryAfterSeconds).toBeLessThanOrEqual(8);
});

test("a network error has the reason that the runtime gives", async () => {
  const messageOf = async (cause: unknown) => {
    const fetch = async () => Promise.reject(new TypeError("fetch failed", { cause }));
    const client = createDeviceClient({ baseUrl: "http://gateway.test", fetch });
    return (await client.readConfig())._unsafeUnwrapErr().message;
  };
  const expected = "No response from http://gateway.test/api/v1: fetch failed";
  const refused = Object.assign(new AggregateError([], ""), { code: "ECONNREFUSED" });
  expect(await messageOf(refused)).toBe(`${expected} (ECONNREFUSED)`);
  expect(await messageOf(new Error("bad port"))).toBe(`${expected} (bad port)`);
  expect(await messageOf(undefined)).toBe(expected);
});

test("a missing response and a response that is not the API's have different codes", async () => {
  const codeOf = async (fetch: Fetch) => {
    const client = createDeviceClient({ baseUrl: "http://gateway.test", fetch });
    return (await client.readConfig())._unsafeUnwrapErr().code;
  };
  expect(await codeOf(async () => Promise.reject(new TypeError("refused")))).toBe("network");
  const answers = [
    new Response("<h1>Hotel Wi-Fi</h1>", { status: 200 }),
    new Response('{"telemetryIntervalSeconds":5}', { status: 200 }),
    new Response("", { status: 502 }),
    new Response(null, { status: 204 }),
  ];
  for (const answer of answers) expect(await codeOf(async () => answer)).toBe("unexpected_answer");
});

test("a body without an end is cancelled, and counts as a response that is not the API's", async () => {
  let cancelled = 0;
  const endless = () =>
    new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
      cancel: () => {
        cancelled += 1;
      },
    });
  for (const status of [200, 503]) {
    const fetch: Fetch = async () => new Response(endless(), { status });
    const client = createDeviceClient({ baseUrl: "http://gateway.test", fetch });
    expect((await client.readConfig())._unsafeUnwrapErr()).toMatchObject({
      code: "unexpected_answer",
      status,
      message: `HTTP ${status} with a body of more than 1048576 bytes. Check the address.`,
    });
  }
  expect(cancelled).toBe(2);
});

test("a fetch works whose bodies are not web streams", async () => {
  const problem = { code: "unauthorized", detail: "Log in.", status: 401 };
  const fetch: Fetch = async () => {
    const response = Response.json(problem, { status: 401 });
    return new Proxy(response, {
      get: (target, name) => {
        if (name === "body") return Readable.from([]);
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === "function" ? (value.bind(target) as unknown) : value;
      },
    });
  };
  const client = createDeviceClient({ baseUrl: "http://gateway.test", fetch });
  expect((await client.readConfig())._unsafeUnwrapErr().code).toBe("unauthorized");
});
