import { createTestCloud } from "@device-gateway/testing/cloud";
import { expect, expectTypeOf, onTestFinished, test } from "vitest";
import { createDeviceClient } from "../device-client.js";
import { followTelemetry } from "./follow-telemetry.js";
import { readEvents } from "./read-events.js";
import { createUserClient } from "./user-client.js";

async function start() {
  const cloud = await createTestCloud();
  onTestFinished(() => cloud.close());
  const { baseUrl, fetch } = cloud;
  const signIn = (id: string, operator = false) =>
    createUserClient({ baseUrl, fetch, token: () => cloud.signIn(id, { operator }) });
  return { cloud, baseUrl, fetch, signIn, alice: signIn("alice") };
}

test("§3 §7 §8 a customer claims, names, configures, charts, exports and releases a device", async () => {
  const { cloud, baseUrl, fetch, alice } = await start();
  const { deviceId, claimCode, token } = await cloud.addDevice();
  const params = { deviceId };
  const claimed = (await alice.claimDevice({ body: { deviceId, claimCode } }))._unsafeUnwrap();
  expect(claimed.status).toBe("claimed");
  expectTypeOf(claimed.status).toEqualTypeOf<"claimed" | "already_owned">();
  expect((await alice.listDevices())._unsafeUnwrap().devices).toHaveLength(1);

  const named = await alice.renameDevice({ params, body: { name: "Cellar" } });
  expect(named._unsafeUnwrap().device.name).toBe("Cellar");
  const body = { telemetryIntervalSeconds: 30 };
  const configured = await alice.changeDeviceConfig({ params, body });
  expect(configured._unsafeUnwrap().config.telemetryIntervalSeconds).toBe(30);
  const headers = { "if-match": '"old"' };
  const conflict = (await alice.changeDeviceConfig({ params, body, headers }))._unsafeUnwrapErr();
  expect(conflict.code).toBe("precondition_failed");

  const device = createDeviceClient({ baseUrl, fetch, token });
  const timestamp = new Date(cloud.clock.now()).toISOString();
  expect((await device.sendTelemetry({ timestamp, soc: 64 })).isOk()).toBe(true);
  cloud.clock.advance(1_000);
  const history = await alice.readTelemetryHistory({ params, query: { hours: "1" } });
  expect(history._unsafeUnwrap().points).toEqual([{ timestamp, soc: 64 }]);
  const exported = await alice.exportTelemetry({ params, query: { format: "ndjson" } });
  expect(await exported._unsafeUnwrap().text()).toBe(`{"timestamp":"${timestamp}","soc":64}\n`);

  expect((await alice.releaseDevice({ params }))._unsafeUnwrap()).toBeNull();
  const released = (await alice.readDevice({ params }))._unsafeUnwrapErr();
  expect(released.code).toBe("device_not_found");
  expectTypeOf(released.code).extract<"already_claimed">().toBeNever();
});

test("§8 only an operator may revoke a device and read the security event", async () => {
  const { cloud, alice, signIn } = await start();
  const { deviceId } = await cloud.addDevice();
  expect((await alice.listAllDevices())._unsafeUnwrapErr().code).toBe("forbidden");
  const operator = signIn("olga", true);
  expect((await operator.revokeDevice({ params: { deviceId } })).isOk()).toBe(true);
  const trail = (await operator.readAuditTrail())._unsafeUnwrap();
  const kinds = "events" in trail ? trail.events.map(({ kind }) => kind) : [];
  expect(kinds).toContain("device.revoked");
  const streamed = await operator.readAuditTrail({ query: { format: "ndjson" } });
  expect(streamed._unsafeUnwrap()).toBeInstanceOf(Response);
});

test("a user client has no routes for devices, and a required body cannot be omitted", async () => {
  const { alice } = await start();
  expect(alice).not.toHaveProperty("sendTelemetry");
  // @ts-expect-error There is no such method.
  expect(alice.sendTelemetry).toBeUndefined();
  // @ts-expect-error The body is missing.
  expect((await alice.claimDevice()).isErr()).toBe(true);
});

test("a token source that fails gives a network error", async () => {
  const { cloud, baseUrl, fetch } = await start();
  const token = async () => Promise.reject(new Error("session store is down"));
  const nobody = createUserClient({ baseUrl, fetch, token });
  expect((await nobody.listDevices())._unsafeUnwrapErr()).toEqual({
    code: "network",
    message: `No token for ${baseUrl}/api/v1: session store is down`,
  });
  expect(cloud.requests).toEqual([]);
});

test("§7 a live stream that breaks resumes at its position", async () => {
  const { cloud, baseUrl, fetch, alice } = await start();
  const { deviceId, token } = await cloud.addDevice({ owner: "alice" });
  const device = createDeviceClient({ baseUrl, fetch, token });
  const send = async (n: number) => expect((await device.sendTelemetry({ n })).isOk()).toBe(true);
  await send(1);
  cloud.fail("followTelemetry", { kind: "cut", afterBytes: 150 });
  const following = followTelemetry(alice, deviceId, { after: "0", sleep: cloud.sleep });
  const seen: unknown[] = [];
  for await (const item of following) {
    seen.push(item._unsafeUnwrap().record["n"]);
    if (seen.length === 4) break;
    await send(seen.length + 1);
    cloud.clock.advance(1_000);
  }
  expect(seen).toEqual([1, 2, 3, 4]);
  expect(cloud.requestsTo("followTelemetry").length).toBeGreaterThan(1);
});

test("§7 a live stream that breaks before its first record misses no record", async () => {
  const { cloud, baseUrl, fetch, alice } = await start();
  const { deviceId, token } = await cloud.addDevice({ owner: "alice" });
  const device = createDeviceClient({ baseUrl, fetch, token });
  const { length: afterBytes } = "retry: 2000\nid: 0\n\n";
  cloud.fail("followTelemetry", { kind: "cut", afterBytes });
  const sleep = async (ms: number) => {
    (await device.sendTelemetry({ n: 1 }))._unsafeUnwrap();
    await cloud.sleep(ms);
  };
  for await (const item of followTelemetry(alice, deviceId, { sleep })) {
    expect(item._unsafeUnwrap().record["n"]).toBe(1);
    break;
  }
});

test("§7 a permanent error ends a live stream", async () => {
  const { signIn } = await start();
  const items = [];
  for await (const item of followTelemetry(signIn("eve"), "gw-1")) items.push(item);
  expect(items.map((item) => item._unsafeUnwrapErr().code)).toEqual(["device_not_found"]);
});

test("events are read with any line ending and any split of their bytes", async () => {
  const text =
    "retry: 2\nid: 0\n\n: hello\r\nid: 1\r\ndata: ä\r\n\r\nid:2\ndata:b\ndata: c\n\ndata: cut off";
  const bytes = new TextEncoder().encode(text);
  for (const size of [1, 2, 3, 7, bytes.length]) {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += size) {
          controller.enqueue(bytes.slice(at, at + size));
        }
        controller.close();
      },
    });
    const events = [];
    for await (const event of readEvents(body)) events.push(event);
    expect(events).toEqual([
      { id: "0", data: null },
      { id: "1", data: "ä" },
      { id: "2", data: "b\nc" },
    ]);
  }
});

/** Returns a body that repeats a text without end. */
const endless = (text: string) =>
  new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode(text)),
  });

test.each([
  ["line", "x".repeat(100_000)],
  ["event", `data: ${"x".repeat(100_000)}\n`],
])("a stream with a %s without an end is broken", async (_, text) => {
  const events = readEvents(endless(text));
  await expect(events.next()).rejects.toThrow("more than 33554432 characters");
});

test("the largest record arrives as an event, however small the pieces are", async () => {
  const bytes = new TextEncoder().encode(`id: 1\r\ndata: ${"x".repeat(262_144)}\r\n\r\n`);
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(bytes.subarray(at, at + 100));
      at += 100;
      if (at >= bytes.length) controller.close();
    },
  });
  const read = await readEvents(body).next();
  expect(read.value).toEqual({ id: "1", data: "x".repeat(262_144) });
});

test("a user client reads pages that are larger than any response for a device", async () => {
  const notes = "x".repeat(2_000_000);
  const fetch = async () => Response.json({ devices: [], nextCursor: null, notes });
  const client = createUserClient({ baseUrl: "http://gateway.test", fetch });
  expect((await client.listDevices())._unsafeUnwrap()).toMatchObject({ devices: [] });
});
