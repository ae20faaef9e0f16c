import { createMemoryStore } from "@device-gateway/store-memory";
import { sampleImage } from "@device-gateway/testing";
import { createTestCloud } from "@device-gateway/testing/cloud";
import { expect, expectTypeOf, onTestFinished, test } from "vitest";
import { createGateway, type Gateway, type GatewayOptions, generateSecrets } from "../index.js";
import { anyone, customer, device, operator, Principal } from "./principal.js";

const deviceId = "gw-1";
const alice = customer({ id: "alice", emailVerified: true });
const ops = operator({ id: "ops" });

async function start(options: Partial<GatewayOptions> = {}) {
  const cloud = await createTestCloud({ gateway: options });
  onTestFinished(() => cloud.close());
  const { claimCode } = await cloud.addDevice({ deviceId });
  const kinds = async () => (await cloud.auditTrail()).map(({ kind, actor }) => `${kind} ${actor}`);
  return { cloud, gateway: cloud.gateway, claimCode, kinds };
}

test("§0 a device sends telemetry in an in-process call, its owner exports it, and revocation ends it", async () => {
  const { gateway, claimCode, kinds } = await start();
  const owner = gateway.as(alice);
  const claimed = await owner.claimDevice({ body: { deviceId, claimCode } });
  expect(claimed._unsafeUnwrap().body.status).toBe("claimed");
  const sensor = gateway.as(device(deviceId));
  const sent = await sensor.sendTelemetry({ body: [{ soc: 64 }, { soc: 65 }] });
  expect(sent._unsafeUnwrap().body.accepted).toBe(2);

  const params = { deviceId };
  const exported = await owner.exportTelemetry({ params, query: { format: "ndjson", from: 0 } });
  const lines: string[] = [];
  for await (const piece of exported._unsafeUnwrap().stream) lines.push(piece);
  expect(lines.join("").match(/"soc"/g)).toHaveLength(2);

  const revoked = await gateway.as(ops).revokeDevice({ params });
  expect(revoked.isOk()).toBe(true);
  const refused = (await sensor.sendTelemetry({ body: { soc: 66 } }))._unsafeUnwrapErr();
  expect([refused.code, refused.status]).toEqual(["unauthorized", 401]);
  expect(await kinds()).toEqual([
    "device.registered device",
    "device.claimed alice",
    "device.revoked ops",
  ]);
});

test("§0 only the gateway's own functions create a principal", async () => {
  const { gateway } = await start();
  const forged: unknown[] = [
    { kind: "user", user: { id: "alice", emailVerified: true, roles: ["operator"] } },
    JSON.parse(JSON.stringify(ops)),
    { ...ops },
    Object.create(Principal.prototype),
    null,
    "ops",
  ];
  for (const one of forged) {
    expect(() => gateway.as(one as Principal)).toThrow(/gateway\.as: pass a principal/);
  }
  expect(() => customer({ id: "alice" } as Parameters<typeof customer>[0])).toThrow(
    /emailVerified/,
  );
  expect(() => operator({ id: "" })).toThrow(/the id is missing/);
  // In plain JavaScript a customer can call an operator's function. It is refused as over HTTP.
  const api = gateway.as(alice) as unknown as ReturnType<typeof gateway.as<"operator">>;
  expect((await api.listAllDevices())._unsafeUnwrapErr().code).toBe("forbidden");
});

test("§9 attempt budgets hold in code, and token buckets only if the caller asks for them", async () => {
  const { gateway } = await start({
    limits: { claimTriesPerCustomerAndDevice: 2, dashboardPerMinute: 3 },
  });
  const owner = gateway.as(alice);
  const guess = { body: { deviceId, claimCode: "WRONG-CODE" } };
  const codes: unknown[] = [];
  for (let n = 0; n < 3; n++) codes.push((await owner.claimDevice(guess))._unsafeUnwrapErr().code);
  expect(codes).toEqual(["invalid_claim", "invalid_claim", "too_many_attempts"]);
  for (let n = 0; n < 10; n++) expect((await owner.listDevices()).isOk()).toBe(true);
  const throttled = gateway.as(alice, { throttled: true });
  for (let n = 0; n < 3; n++) expect((await throttled.listDevices()).isOk()).toBe(true);
  expect((await throttled.listDevices())._unsafeUnwrapErr()).toMatchObject({
    code: "too_many_requests",
    status: 429,
    retryAfterSeconds: 20,
  });
});

test("§9 calls in code that are not throttled leave all token buckets as they are", async () => {
  const { gateway, claimCode } = await start({
    limits: { metricsPerMinute: 16, dashboardPerMinute: 2 },
  });
  const sensor = gateway.as(device(deviceId));
  const owner = gateway.as(alice);
  expect((await owner.claimDevice({ body: { deviceId, claimCode } })).isOk()).toBe(true);
  const history = { params: { deviceId }, query: { metrics: "soc" } };
  for (let n = 0; n < 3; n++) {
    expect((await sensor.sendTelemetry({ body: { soc: n } })).isOk()).toBe(true);
    expect((await owner.readTelemetryHistory(history)).isOk()).toBe(true);
  }
  const throttled = gateway.as(alice, { throttled: true });
  for (let n = 0; n < 2; n++) expect((await throttled.listDevices()).isOk()).toBe(true);
  const ids = Array.from({ length: 100 }, (_, n) => `gw-${n}`);
  for (let n = 0; n < 3; n++) {
    const body = { deviceIds: ids, action: { kind: "revoke" } } as const;
    expect((await gateway.as(ops).changeDevices({ body })).isOk()).toBe(true);
  }
});

test("§3 an operator assigns a device in process, without its claim code, unless it is owned or revoked", async () => {
  const { cloud, gateway, kinds } = await start();
  const announced: unknown[] = [];
  gateway.on("device.assigned", ({ details }) => void announced.push(details));
  const api = gateway.as(ops);
  const assign = (id: string, customerId: string) =>
    api.assignDevice({ params: { deviceId: id }, body: { customerId } });
  expect((await assign(deviceId, "alice"))._unsafeUnwrap().body.status).toBe("assigned");
  expect((await assign(deviceId, "alice"))._unsafeUnwrap().body.status).toBe("already_owned");
  expect((await assign(deviceId, "bob"))._unsafeUnwrapErr().code).toBe("already_claimed");
  expect((await gateway.as(alice).readDevice({ params: { deviceId } })).isOk()).toBe(true);
  await cloud.addDevice({ deviceId: "gw-2" });
  expect((await api.revokeDevice({ params: { deviceId: "gw-2" } })).isOk()).toBe(true);
  expect((await assign("gw-2", "bob"))._unsafeUnwrapErr().code).toBe("device_revoked");
  expect((await assign("gw-3", "bob"))._unsafeUnwrapErr().code).toBe("device_not_found");
  expect(announced).toEqual([{ customerId: "alice" }]);
  expect(await kinds()).toContain("device.assigned ops");
  const asCustomer = gateway.as(alice) as unknown as ReturnType<typeof gateway.as<"operator">>;
  const stolen = asCustomer.assignDevice({
    params: { deviceId: "gw-2" },
    body: { customerId: "alice" },
  });
  expect((await stolen)._unsafeUnwrapErr().code).toBe("forbidden");
});

test("§0 a call in code shares no object with the gateway, and accepts only what JSON can express", async () => {
  const { gateway } = await start();
  const api = gateway.as(ops);
  const params = { deviceId };
  const record = { nested: { soc: 1 }, none: undefined };
  const sent = await gateway.as(device(deviceId)).sendTelemetry({ body: record });
  expect(sent.isOk()).toBe(true);
  record.nested.soc = 2;
  const read = await api.readDevice({ params });
  expect(read._unsafeUnwrap().body.telemetry).toMatchObject({ nested: { soc: 1 } });
  const huge = { telemetryIntervalSeconds: 10n } as unknown as Record<string, unknown>;
  const malformed = await api.configureDevice({ params, body: huge });
  expect(malformed._unsafeUnwrapErr().code).toBe("malformed_json");
  const configured = await api.configureDevice({ params, body: { telemetryIntervalSeconds: 30 } });
  const { body, headers } = configured._unsafeUnwrap();
  body.overrides["telemetryIntervalSeconds"] = 5;
  const again = await api.readDeviceConfig({ params });
  expect(again._unsafeUnwrap().body.overrides).toEqual({ telemetryIntervalSeconds: 30 });
  expect(again._unsafeUnwrap().headers["etag"]).toBe(headers["etag"]);
});

test("§6 a download in code ends when the device starts others, and gives its slot back", async () => {
  const { cloud, gateway } = await start();
  const image = sampleImage(300_000);
  const { id } = await cloud.addRelease({
    version: "1.0.0",
    targetHardware: "esp32:devkit-v1",
    image,
  });
  const api = gateway.as(device(deviceId));
  const open = async (headers = {}) =>
    (await api.downloadFirmware({ params: { releaseId: id }, headers }))._unsafeUnwrap();
  const part = await open({ range: "bytes=10-19" });
  expect([part.status, part.headers["content-length"]]).toEqual([206, "10"]);
  const pieces: Uint8Array[] = [];
  for await (const piece of part.stream) pieces.push(piece);
  expect(Buffer.concat(pieces)).toEqual(Buffer.from(image.subarray(10, 20)));
  const cut: unknown[] = [];
  for (let n = 0; n < 4; n++) {
    const iterator = (await open()).stream[Symbol.asyncIterator]();
    await iterator.next();
    cut.push(iterator);
  }
  const [first] = cut as AsyncIterator<Uint8Array>[];
  await expect(first?.next()).rejects.toThrow(/started another download/);
});

test("an in-process call that faults returns a failure with the cause, and never rejects", async () => {
  const store = createMemoryStore();
  const broken = {
    ...store,
    devices: { ...store.devices, find: () => Promise.reject(new Error("x")) },
  };
  const gateway: Gateway = await createGateway({ store: broken, secrets: generateSecrets() });
  const failure = (await gateway.as(alice).readDevice({ params: { deviceId } }))._unsafeUnwrapErr();
  expect(failure).toMatchObject({ code: "internal", status: 500, cause: new Error("x") });
});

test("the types offer each principal its own calls, with the types of the route table", async () => {
  const { gateway } = await start();
  const owner = gateway.as(alice);
  expectTypeOf(owner).not.toHaveProperty("revokeDevice");
  expectTypeOf(owner).not.toHaveProperty("sendTelemetry");
  expectTypeOf(gateway.as(ops)).toHaveProperty("assignDevice");
  expectTypeOf(gateway.as(anyone)).not.toHaveProperty("claimDevice");
  const listed = (await owner.listDevices({ query: { limit: 5 } }))._unsafeUnwrap();
  expectTypeOf(listed.body.devices[0]?.id).toEqualTypeOf<string | undefined>();
  // @ts-expect-error: the body is required.
  expect((await owner.claimDevice({}))._unsafeUnwrapErr().code).toBe("invalid_request");
});
