import { createTestCloud } from "@device-gateway/testing/cloud";
import { expect, expectTypeOf, onTestFinished, test } from "vitest";
import type { LogFields } from "../ports/logger.js";
import { silentLogger } from "../ports/logger.js";
import type { AnnouncedKind } from "./gateway-event.js";

async function start() {
  const logged: LogFields[] = [];
  const logger = { ...silentLogger, error: (fields: LogFields) => void logged.push(fields) };
  const cloud = await createTestCloud({ gateway: { logger } });
  onTestFinished(() => cloud.close());
  const received: { kind: string; deviceId: string; actor?: string }[] = [];
  const listen = (...kinds: readonly AnnouncedKind[]) => {
    for (const kind of kinds) cloud.gateway.on(kind, (event) => void received.push(event));
  };
  const call = async (method: string, path: string, token: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const url = `${cloud.baseUrl}/api/v1${path}`;
    return (await cloud.fetch(url, { method, headers, ...sent })).status;
  };
  return { cloud, received, listen, call, logged };
}

const deviceId = "gw-1";

test("each change is announced once, after its commit, with the fields of its security event", async () => {
  const { cloud, received, listen, call } = await start();
  listen(
    "device.registered",
    "device.registered_again",
    "device.claimed",
    "device.renamed",
    "device.configured",
    "device.revoked",
    "device.reinstated",
    "device.released",
    "device.erased",
  );
  const { claimCode } = await cloud.addDevice({ deviceId });
  await cloud.addDevice({ deviceId });
  const [alice, eve] = [cloud.signIn("alice"), cloud.signIn("eve")];
  const olga = cloud.signIn("olga", { operator: true });
  const claim = { deviceId, claimCode };
  expect(await call("POST", "/user/devices/claim", alice, claim)).toBe(200);
  // The next three requests change nothing.
  expect(await call("POST", "/user/devices/claim", alice, claim)).toBe(200);
  expect(await call("POST", "/user/devices/claim", eve, claim)).toBe(409);
  const path = `/dashboard/devices/${deviceId}`;
  expect(await call("PATCH", path, eve, { name: "Mine" })).toBe(404);
  expect(await call("PATCH", path, alice, { name: "Cellar" })).toBe(200);
  const config = { telemetryIntervalSeconds: 30 };
  expect(await call("PUT", `${path}/config`, alice, config)).toBe(200);
  for (const action of ["reinstate", "revoke", "revoke", "reinstate", "reinstate"]) {
    expect(await call("POST", `/operator/devices/${deviceId}/${action}`, olga)).toBe(200);
  }
  expect(await call("DELETE", `/user/devices/${deviceId}/claim`, alice)).toBe(204);
  expect(await call("DELETE", `/user/devices/${deviceId}/claim`, alice)).toBe(404);
  expect(await call("DELETE", `/operator/devices/${deviceId}`, olga)).toBe(204);

  expect(received.map(({ kind, actor }) => `${kind} by ${actor}`)).toEqual([
    "device.registered by device",
    "device.registered_again by device",
    "device.claimed by alice",
    "device.renamed by alice",
    "device.configured by alice",
    "device.revoked by olga",
    "device.reinstated by olga",
    "device.released by alice",
    "device.erased by olga",
  ]);
  const trail = await cloud.auditTrail();
  expect(trail).toEqual(received.map((event) => expect.objectContaining(event)));
});

test("received telemetry is announced with its new records only", async () => {
  const { cloud, call } = await start();
  const received: unknown[] = [];
  cloud.gateway.on("telemetry.received", (event) => void received.push(event));
  const { token } = await cloud.addDevice({ deviceId });
  const at = cloud.clock.now();
  const known = { timestamp: at, soc: 1 };
  await call("POST", "/telemetry", token, known);
  await call("POST", "/telemetry", token, [known, { soc: 2 }, "no record"]);
  await call("POST", "/telemetry", token, known);
  expect(received).toEqual([
    { kind: "telemetry.received", at, deviceId, records: [{ at, body: known }] },
    { kind: "telemetry.received", at, deviceId, records: [{ at, body: { soc: 2 } }] },
  ]);
});

/** Starts a gateway with some devices and a release for them. */
async function startRollout(devices: number) {
  const world = await start();
  const { cloud, call } = world;
  const plan = {
    version: "1.1.0",
    targetHardware: "esp32:devkit-v1",
    image: new Uint8Array(2_048),
  };
  const { id } = await cloud.addRelease(plan);
  const fleet: string[] = [];
  for (let n = 0; n < devices; n++)
    fleet.push((await cloud.addDevice({ deviceId: `gw-${n}` })).token);
  const check = (token: string) => call("GET", "/ota/latest", token);
  const report = (token: string, state: string) =>
    call("POST", "/ota/events", token, { state, version: "1.1.0" });
  return { ...world, id, fleet, check, report };
}

test("every step of an update is announced, from each source, and nothing else is", async () => {
  const { cloud, call, id, fleet, check, report } = await startRollout(1);
  const [token = ""] = fleet;
  const received: unknown[] = [];
  cloud.gateway.on("update.moved", ({ from, to, source, ...event }) => {
    expect(event).toMatchObject({ deviceId: "gw-0", releaseId: id, version: "1.1.0" });
    received.push([from, to, source]);
  });
  await check(token);
  await check(token);
  await report(token, "downloading");
  await report(token, "downloading");
  const ota = { lastResult: "installing", offeredVersion: "1.1.0" };
  await call("POST", "/telemetry", token, { ota });
  await call("POST", "/telemetry", token, { ota });
  await report(token, "succeeded");
  expect(received).toEqual([
    [null, "offered", "server"],
    ["offered", "downloading", "device"],
    ["downloading", "installing", "telemetry"],
    ["installing", "succeeded", "device"],
  ]);
});

test.each(["ota/events", "telemetry"])(
  "a rollout that halts after reports to %s is announced once, with the fields of its security event",
  async (by) => {
    const { cloud, call, id, fleet, check, report } = await startRollout(8);
    const received: unknown[] = [];
    cloud.gateway.on("release.halted", (event) => void received.push(event));
    const ota = { lastResult: "failed", offeredVersion: "1.1.0" };
    for (const token of fleet) {
      await check(token);
      if (by === "telemetry") await call("POST", "/telemetry", token, { ota });
      else await report(token, "failed");
    }
    const halts = (await cloud.auditTrail()).filter(({ kind }) => kind === "release.halted");
    expect(halts).toEqual([expect.objectContaining(received[0])]);
    expect(received).toMatchObject([{ actor: "gateway", details: { releaseId: id, failed: 5 } }]);
  },
);

test("a listener that throws or rejects is logged and affects neither the response nor other listeners", async () => {
  const { cloud, received, listen, logged } = await start();
  cloud.gateway.on("device.registered", () => {
    throw new Error("thrown");
  });
  cloud.gateway.on("device.registered", async () => {
    throw new Error("rejected");
  });
  listen("device.registered");
  await cloud.addDevice({ deviceId });
  await new Promise((done) => setImmediate(done));
  expect(received).toHaveLength(1);
  expect(logged.map(({ err }) => (err as Error).message)).toEqual(["thrown", "rejected"]);
});

test("a removed listener is not called again, and a listener that was added twice is removed once", async () => {
  const { cloud } = await start();
  let calls = 0;
  const listener = () => void calls++;
  const off = cloud.gateway.on("device.registered", listener);
  cloud.gateway.on("device.registered", listener);
  await cloud.addDevice();
  off();
  off();
  await cloud.addDevice();
  expect(calls).toBe(3);
});

test("the type of an event follows from its kind", async () => {
  const { cloud } = await start();
  cloud.gateway.on("device.claimed", (event) => {
    expectTypeOf(event.kind).toEqualTypeOf<"device.claimed">();
    expectTypeOf(event.actor).toEqualTypeOf<string>();
  });
  // @ts-expect-error Promotions are only in the audit trail.
  expect(() => cloud.gateway.on("device.credential_promoted", () => {})).toThrow(/no event/);
});
