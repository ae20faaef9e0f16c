import { createMemoryStore } from "@device-gateway/store-memory";
import {
  fieldRecord,
  openWireWorld,
  sampleRegistration,
  serveInProcess,
  type WireWorld,
} from "@device-gateway/testing";
import { afterEach, expect, it } from "vitest";
import type { Limits } from "../../limits.js";

const kib = 1_024;
const minuteMs = 60_000;
let world: WireWorld & { close(): Promise<void> };

async function open(limits: Partial<Limits> = {}) {
  world = await openWireWorld(
    {
      serve: serveInProcess,
      openStore: async () => ({ store: createMemoryStore(), dispose: async () => {} }),
    },
    { limits: { authPerMinute: 1_000_000, telemetryPerMinute: 1_000_000, ...limits } },
  );
  return world;
}
afterEach(() => world.close());

/** Returns a body of a given number of bytes, with one record without metrics. */
const bodyOf = (bytes: number) => JSON.stringify({ text: "x".repeat(bytes - 11) });

interface Sent {
  readonly status: number;
  readonly retryAfter: number;
  readonly wasRead: boolean;
}

/** Sends telemetry from an address. */
async function send(
  token: string,
  text: string,
  { from = "192.0.2.1", isCounted = true, isWellFormed = true } = {},
): Promise<Sent> {
  let wasRead = false;
  const headers: Record<string, string> = {
    authorization: `Bearer ${token}`,
    ...(isCounted && { "content-length": String(text.length) }),
  };
  const { status, headers: answered } = await world.gateway.handle({
    method: "POST",
    path: "/api/v1/telemetry",
    query: "",
    clientAddress: from,
    header: (name) => headers[name],
    json: async () => {
      wasRead = true;
      if (!isWellFormed) return { kind: "malformed" };
      return { kind: "value", value: JSON.parse(text) as unknown, length: text.length };
    },
    stream: async function* () {},
  });
  return { status, retryAfter: Number(answered["retry-after"]), wasRead };
}

/** Counts how many of some requests are accepted. */
async function countTaken(requests: number, each: (n: number) => Promise<Sent>): Promise<number> {
  let taken = 0;
  for (let n = 0; n < requests; n++) if ((await each(n)).status === 200) taken += 1;
  return taken;
}

async function tokensOf(count: number, name = "attacker"): Promise<string[]> {
  const tokens: string[] = [];
  for (let n = 0; n < count; n++) tokens.push((await world.register(`${name}-${n}`)).token);
  return tokens;
}

it("§9 an unclaimed device can send its backlog and a field record every ten seconds", async () => {
  const { clock, register } = await open();
  const { token } = await register();
  expect(await countTaken(2, () => send(token, bodyOf(256 * kib)))).toBe(2);
  const taken = await countTaken(120, async () => {
    clock.advance(10_000);
    return send(token, JSON.stringify(fieldRecord));
  });
  expect(taken).toBe(120);
});

it("§9 an unclaimed device beyond its quota is rejected before its body is read, until Retry-After has passed", async () => {
  const { clock, register, call, signIn } = await open({ unclaimedBytesPerMinute: 64 * kib });
  const { token, deviceId } = await register();
  const body = bodyOf(64 * kib - 512);
  expect(await countTaken(20, () => send(token, body))).toBe(10);
  const refused = await send(token, body);
  expect(refused).toMatchObject({ status: 429, wasRead: false });
  expect(refused.retryAfter).toBeGreaterThanOrEqual(60);
  expect(await send(token, bodyOf(256 * kib + 1))).toMatchObject({ status: 429 });
  clock.advance(refused.retryAfter * 1_000);
  expect(await countTaken(2, () => send(token, body))).toBe(1);

  const claim = { deviceId, claimCode: sampleRegistration().claimCode };
  await call("claimDevice", { body: claim, token: await signIn("owner") });
  expect(await countTaken(20, () => send(token, body))).toBe(20);
});

it("§9 a body without a Content-Length counts as 256 KB until it is read", async () => {
  const { register } = await open({ unclaimedBytesPerMinute: 64 * kib });
  const { token } = await register();
  const body = bodyOf(64 * kib - 512);
  // Of 640 KiB, less than 256 KiB and 512 bytes are left then.
  expect(await countTaken(20, () => send(token, body, { isCounted: false }))).toBe(6);
  expect(await send(token, body, { isCounted: false })).toMatchObject({
    status: 429,
    wasRead: false,
  });
  expect((await send(token, body)).status).toBe(200);
});

it("§9 a body without a Content-Length counts although it is malformed or invalid", async () => {
  const { register } = await open({ unclaimedBytesPerMinute: 64 * kib });
  const countRead = async (deviceId: string, text: string, isWellFormed: boolean) => {
    const { token } = await register(deviceId);
    let read = 0;
    for (let n = 0; n < 20; n++)
      read += Number((await send(token, text, { isCounted: false, isWellFormed })).wasRead);
    return read;
  };
  expect(await countRead("gw-1", "{", false)).toBe(2);
  const invalid = JSON.stringify("x".repeat(128 * kib - 512 - 2));
  expect(await countRead("gw-2", invalid, true)).toBe(3);
});

it("§9 reports about updates count as well", async () => {
  const { register, call } = await open({ unclaimedBytesPerMinute: 320 });
  const { token } = await register();
  const body = { state: "downloading", version: "1.0.0", message: "x".repeat(500) };
  const headers = { "content-length": String(JSON.stringify(body).length) };
  const statuses: number[] = [];
  for (let n = 0; n < 5; n++) {
    const reply = await call("reportUpdate", { token, body, headers });
    statuses.push(reply.status);
  }
  expect(statuses).toEqual([202, 202, 202, 429, 429]);
});

it("§9 devices of one address share a total, which devices of other addresses do not use", async () => {
  const { clock } = await open({ unclaimedTotalBytesPerMinute: 256 * kib });
  const tokens = await tokensOf(10);
  const [honest = ""] = await tokensOf(1, "honest");
  const body = bodyOf(64 * kib - 512);
  const flood = (n: number) => send(tokens[n % 10] as string, body, { from: "192.0.2.66" });
  // Ten minutes' worth of the address and of the total.
  expect(await countTaken(100, flood)).toBe(10 + 10 * 4);
  for (let minute = 0; minute < 10; minute++) {
    clock.advance(minuteMs);
    expect(await countTaken(20, flood)).toBe(1 + 4);
    expect(await send(honest, body, { from: "198.51.100.7" })).toMatchObject({ status: 200 });
  }
});

it("§9 the networks of one IPv6 site share the quota of sixteen devices besides the total", async () => {
  await open({ unclaimedTotalBytesPerMinute: 64 * kib });
  const tokens = await tokensOf(30);
  // Four minutes' worth of one device. Each device has ten.
  const body = bodyOf(256 * kib - 512);
  const flood = (n: number) =>
    send(tokens[n % 30] as string, body, { from: `2001:db8:1:${(n % 30).toString(16)}::1` });
  expect(await countTaken(90, flood)).toBe((16 * 10) / 4 + 2);
});

it("§9 the quota and the total can be switched off", async () => {
  const body = bodyOf(64 * kib - 512);
  await open({ telemetryBytesPerMinute: 0, unclaimedBytesPerMinute: 0 });
  const [token = ""] = await tokensOf(1);
  expect(await countTaken(50, () => send(token, body))).toBe(50);
  await world.close();

  await open({ unclaimedTotalBytesPerMinute: 0 });
  const tokens = await tokensOf(40);
  expect(await countTaken(440, (n) => send(tokens[n % 40] as string, body))).toBe(400);
});

it("§9 a claimed device has 4 MiB a minute, half of it at once, and more is refused before its body is read", async () => {
  const { clock, register, call, signIn } = await open();
  const { deviceId, token } = await register();
  const claim = { deviceId, claimCode: sampleRegistration().claimCode };
  await call("claimDevice", { body: claim, token: await signIn("owner") });
  const largest = bodyOf(256 * kib - 512);
  expect(await countTaken(9, () => send(token, largest))).toBe(8);
  const refused = await send(token, largest);
  expect(refused).toMatchObject({ status: 429, wasRead: false });
  expect(refused.retryAfter).toBeGreaterThanOrEqual(4);
  clock.advance(refused.retryAfter * 1_000);
  expect((await send(token, largest)).status).toBe(200);
  clock.advance(minuteMs);
  // A body without a Content-Length needs the tokens of the largest one.
  expect(await countTaken(9, () => send(token, largest, { isCounted: false }))).toBe(7);
});
