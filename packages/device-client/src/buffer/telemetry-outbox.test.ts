import { createSeededRandom } from "@device-gateway/testing";
import { createTestCloud } from "@device-gateway/testing/cloud";
import { expect, onTestFinished, test } from "vitest";
import type { Fetch } from "../call-route.js";
import { createDevice, type DeviceOptions } from "../device/device.js";
import type { DeviceEvent } from "../device/device-event.js";
import { type BufferStorage, createMemoryBuffer } from "./buffer-storage.js";

const identity = {
  deviceId: "gw-1",
  hardwareId: "esp32",
  firmwareVersion: "1.0.0",
  claimCode: "ABCD-EFGH",
};

async function start(options: Partial<DeviceOptions> = {}, limits = {}) {
  const cloud = await createTestCloud({ gateway: { limits } });
  onTestFinished(() => cloud.close());
  const events: DeviceEvent[] = [];
  const buffer = options.buffer ?? createMemoryBuffer();
  const boot = (random = createSeededRandom(), others: Partial<DeviceOptions> = {}) =>
    createDevice({
      baseUrl: cloud.baseUrl,
      fetch: cloud.fetch,
      identity,
      clock: cloud.clock,
      sleep: cloud.sleep,
      random,
      onEvent: (event) => events.push(event),
      ...options,
      ...others,
      buffer,
    });
  const stored = async () =>
    (await cloud.records("gw-1")).map((record) => (record as { n: number }).n);
  const dropped = () =>
    events.flatMap((event) => (event.kind === "dropped" ? event.records : [])).map(({ n }) => n);
  return { cloud, boot, buffer, events, stored, dropped };
}

const readings = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({ n: from + i }));
const numbers = (from: number, count: number) => readings(from, count).map(({ n }) => n);

test("§4 readings recorded without a network arrive once, in order, in requests of at most 500 records", async () => {
  const { cloud, boot, stored } = await start();
  const device = boot();
  await cloud.goOffline();
  for (let n = 0; n < 1_200; n += 100) {
    expect((await device.record(...readings(n, 100))).isOk()).toBe(true);
  }
  expect((await device.flush())._unsafeUnwrapErr()).toMatchObject({ code: "network" });
  expect(device.waiting).toBe(1_200);
  await cloud.goOnline();
  const report = (await device.flush())._unsafeUnwrap();
  expect(report).toMatchObject({ accepted: 1_200, duplicates: 0, rejected: 0, refused: 0 });
  expect(device.waiting).toBe(0);
  expect(await stored()).toEqual(numbers(0, 1_200));
  const sizes = cloud.requestsTo("sendTelemetry").map(({ body }) => {
    return (body as { records: unknown[] }).records.length;
  });
  expect(sizes).toEqual([500, 500, 200]);
});

test("§4 equal readings of the same instant are all stored", async () => {
  const { boot, stored } = await start();
  const device = boot();
  expect((await device.record({ n: 7 }, { n: 7 })).isOk()).toBe(true);
  expect((await device.record({ n: 7 })).isOk()).toBe(true);
  expect((await device.flush()).isOk()).toBe(true);
  expect(await stored()).toEqual([7, 7, 7]);
});

test("§4 a reading with a null or undefined timestamp gets the current time", async () => {
  const { cloud, boot } = await start();
  const device = boot();
  const now = new Date(cloud.clock.now()).toISOString();
  const untimed = [
    { n: 0, timestamp: null },
    { n: 1, timestamp: undefined },
  ] as never[];
  expect((await device.record(...untimed)).isOk()).toBe(true);
  cloud.clock.advance(60_000);
  expect((await device.flush()).isOk()).toBe(true);
  expect(await cloud.records("gw-1")).toMatchObject([
    { n: 0, timestamp: now, seq: 1 },
    { n: 1, timestamp: now, seq: 2 },
  ]);
});

test("§4 a request whose response was lost is repeated with the same key and bytes, also by the next process", async () => {
  const { cloud, boot, stored } = await start({ retry: { tries: 2 } });
  const device = boot();
  expect((await device.record(...readings(0, 3))).isOk()).toBe(true);
  expect((await device.connect()).isOk()).toBe(true);
  cloud.fail("sendTelemetry", { kind: "lost_answer" }, { times: 2 });
  expect((await device.flush()).isErr()).toBe(true);

  const next = boot(createSeededRandom(2));
  expect((await next.record({ n: 3 })).isOk()).toBe(true);
  const report = (await next.flush())._unsafeUnwrap();
  expect(report.accepted).toBe(4);
  expect(await stored()).toEqual([0, 1, 2, 3]);
  const sent = cloud.requestsTo("sendTelemetry");
  const keys = sent.map(({ header }) => header("idempotency-key"));
  expect(keys.slice(0, 3)).toEqual([keys[0], keys[0], keys[0]]);
  expect(sent[2]?.body).toEqual(sent[0]?.body);
  expect(keys[3]).not.toBe(keys[0]);
});

test("§4 a request has at most 256 KB, and a larger record is rejected", async () => {
  const { cloud, boot, stored } = await start();
  const device = boot();
  const text = "ä".repeat(30_000);
  expect(
    (await device.record(...readings(0, 9).map((reading) => ({ ...reading, text })))).isOk(),
  ).toBe(true);
  expect((await device.flush())._unsafeUnwrap().accepted).toBe(9);
  expect(cloud.requestsTo("sendTelemetry")).toHaveLength(3);
  expect(await stored()).toEqual(numbers(0, 9));
  const refused = (await device.record({ text: "x".repeat(262_144) }))._unsafeUnwrapErr();
  expect(refused.code).toBe("record_too_large");
  for (const value of [1n as never, [] as never, null as never, { big: 1n }]) {
    expect((await device.record(value))._unsafeUnwrapErr().code).toBe("not_a_record");
  }
});

test("requests shrink to the server's limit, and a record that is too large on its own is dropped with an event", async () => {
  const { boot, events, stored } = await start({}, { telemetryBodyBytes: 2_000 });
  const device = boot();
  expect(
    (await device.record(...readings(0, 40), { n: 40, text: "x".repeat(3_000) }, { n: 41 })).isOk(),
  ).toBe(true);
  expect((await device.flush())._unsafeUnwrap()).toMatchObject({ accepted: 41, refused: 1 });
  expect(await stored()).toEqual([...numbers(0, 40), 41]);
  expect(events.filter(({ kind }) => kind === "dropped")).toMatchObject([
    { reason: "too_large", records: [{ n: 40 }] },
  ]);
});

test("a proxy that refuses every request as too large removes no record", async () => {
  let isClosed = true;
  const fetch: Fetch = async (url, init) =>
    isClosed && url.endsWith("/telemetry")
      ? new Response("<h1>Request Entity Too Large</h1>", { status: 413 })
      : cloud.fetch(url, init);
  const { cloud, boot, events, stored } = await start({ fetch });
  const device = boot();
  expect((await device.record(...readings(0, 10))).isOk()).toBe(true);
  for (let round = 0; round < 2; round++) {
    const error = (await device.flush())._unsafeUnwrapErr();
    expect(error).toMatchObject({ code: "unexpected_answer", status: 413 });
    expect(device.waiting).toBe(10);
  }
  isClosed = false;
  expect((await device.flush())._unsafeUnwrap()).toMatchObject({ accepted: 10, refused: 0 });
  expect(await stored()).toEqual(numbers(0, 10));
  expect(events.map(({ kind }) => kind)).not.toContain("dropped");
});

test("after a record that the server refuses, requests grow again", async () => {
  const { boot, cloud } = await start();
  const sizes: number[] = [];
  const refuse: Fetch = async (url, init) => {
    if (!url.endsWith("/telemetry")) return cloud.fetch(url, init);
    const text = String(init.body);
    sizes.push((JSON.parse(text) as { records: unknown[] }).records.length);
    // The cloud itself refuses the content.
    return cloud.fetch(url, text.includes("refused") ? { ...init, body: "{" } : init);
  };
  const device = boot(undefined, { fetch: refuse });
  const recorded = await device.record({ n: 0, text: "refused" }, ...readings(1, 300));
  expect(recorded.isOk()).toBe(true);
  expect((await device.flush())._unsafeUnwrap()).toMatchObject({ accepted: 300, refused: 1 });
  const refusedAlone = sizes.indexOf(1);
  expect(sizes.slice(refusedAlone + 1)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 45]);
});

test("§4 a rejected record is reported in an event and not sent again", async () => {
  const { cloud, boot, events, stored } = await start();
  const device = boot();
  expect((await device.record({ n: 1, timestamp: "2001-01-01T00:00:00Z" }, { n: 2 })).isOk()).toBe(
    true,
  );
  expect((await device.flush())._unsafeUnwrap()).toMatchObject({ accepted: 1, rejected: 1 });
  expect(events.filter(({ kind }) => kind === "rejected")).toMatchObject([
    { verdicts: [{ code: "timestamp_out_of_range", record: { n: 1 } }] },
  ]);
  expect((await device.flush()).isOk()).toBe(true);
  expect(cloud.requestsTo("sendTelemetry")).toHaveLength(1);
  expect(await stored()).toEqual([2]);
});

test("§4 malformed verdicts of a response are skipped", async () => {
  const verdict = { index: 1, code: "too_old", message: "The record is too old." };
  const fetch: Fetch = async (url, init) => {
    const response = await cloud.fetch(url, init);
    if (!url.endsWith("/telemetry")) return response;
    const rejected = [null, 5, "0", {}, { index: "map" }, { index: 2 }, { index: 0.5 }, verdict];
    return Response.json({ ...(await response.json()), rejected });
  };
  const { cloud, boot, events } = await start({ fetch });
  const device = boot();
  expect((await device.record({ n: 0 }, { n: 1 })).isOk()).toBe(true);
  expect((await device.flush())._unsafeUnwrap()).toMatchObject({ accepted: 2 });
  expect(events.filter(({ kind }) => kind === "rejected")).toEqual([
    { kind: "rejected", verdicts: [{ ...verdict, record: expect.objectContaining({ n: 1 }) }] },
  ]);
});

test("a full buffer drops its oldest records and reports them", async () => {
  const { cloud, boot, stored, dropped } = await start({ bufferLimits: { maxRecords: 10 } });
  const device = boot();
  await cloud.goOffline();
  for (let n = 0; n < 25; n += 5) {
    expect((await device.record(...readings(n, 5))).isOk()).toBe(true);
  }
  expect((await device.flush()).isErr()).toBe(true);
  expect((await device.record(...readings(25, 3))).isOk()).toBe(true);
  expect(dropped()).toEqual(numbers(0, 18));
  await cloud.goOnline();
  expect((await device.flush())._unsafeUnwrap().accepted).toBe(10);
  expect(await stored()).toEqual(numbers(18, 10));
});

test("a full buffer does not drop records that are in flight", async () => {
  const { boot, cloud, stored, dropped } = await start({ bufferLimits: { maxRecords: 4 } });
  const device = boot();
  expect((await device.connect()).isOk()).toBe(true);
  expect((await device.record(...readings(0, 4))).isOk()).toBe(true);
  cloud.fail("sendTelemetry", { kind: "slow", pieceBytes: 50, everyMs: 10 });
  const flushed = device.flush();
  while (cloud.requestsTo("sendTelemetry").length === 0)
    await new Promise((done) => setImmediate(done));
  expect((await device.record(...readings(4, 3))).isOk()).toBe(true);
  expect((await flushed)._unsafeUnwrap().accepted + dropped().length).toBe(7);
  expect([...(await stored()), ...dropped()].sort()).toEqual(numbers(0, 7));
});

/**
 * A storage on a disk with `quota` bytes. An append above it writes a part. A replacement needs space beside the old lines,
 * as that of a file does.
 */
function storageWithQuota(quota: number) {
  const storage = createMemoryBuffer();
  const bytesOf = (lines: readonly string[]) => Buffer.byteLength(lines.join("\n")) + 1;
  const fits = async (lines: readonly string[]) =>
    bytesOf(await storage.load()) + bytesOf(lines) <= quota;
  const limited: BufferStorage = {
    load: storage.load,
    async append(lines) {
      const isWhole = await fits(lines);
      await storage.append(isWhole ? lines : lines.slice(0, -1));
      if (!isWhole) throw new Error("no space left");
    },
    async replace(lines) {
      if (!(await fits(lines))) throw new Error("no space left");
      await storage.replace(lines);
    },
  };
  return { limited, size: async () => bytesOf(await storage.load()) };
}

test("the journal of large records stays small, however many were sent", async () => {
  const maxBytes = 100_000;
  const { limited: buffer, size } = storageWithQuota(2 * maxBytes);
  const { cloud, boot, stored } = await start({ buffer, bufferLimits: { maxBytes } });
  const device = boot();
  for (let n = 0; n < 500; n++) {
    expect((await device.record({ n, text: "x".repeat(20_000) })).isOk()).toBe(true);
    expect((await device.flush()).isOk()).toBe(true);
    expect(await size()).toBeLessThan(maxBytes);
    // The server limits the bytes of a device per minute.
    cloud.clock.advance(60_000);
  }
  // The list has at most 100 records.
  expect(await stored()).toEqual(numbers(0, 500));
});

test("if nothing can be appended, the journal is replaced by a shorter one", async () => {
  const { limited: buffer } = storageWithQuota(200_000);
  // With the default limits, a journal of this size is not rewritten.
  const { boot, stored } = await start({ buffer });
  const device = boot();
  for (let n = 0; n < 20; n++) {
    expect((await device.record({ n, text: "x".repeat(20_000) })).isOk()).toBe(true);
    expect((await device.flush()).isOk()).toBe(true);
  }
  expect(await stored()).toEqual(numbers(0, 20));
});

test("if the journal cannot be rewritten, all records can be sent, and a long journal takes no more", async () => {
  const buffer: BufferStorage = {
    ...createMemoryBuffer(),
    replace: () => Promise.reject(new Error("only appends work")),
  };
  const { boot, stored } = await start({ buffer, bufferLimits: { maxBytes: 400_000 } });
  const device = boot();
  const text = "x".repeat(300);
  const records = readings(0, 1_000).map((reading) => ({ ...reading, text }));
  expect((await device.record(...records)).isOk()).toBe(true);
  expect((await device.flush())._unsafeUnwrap()).toMatchObject({ accepted: 1_000 });
  expect(device.waiting).toBe(0);
  const error = (await device.record({ n: 1_000 }))._unsafeUnwrapErr();
  expect(error).toMatchObject({
    code: "storage",
    message: expect.stringContaining("only appends work"),
  });
  expect((await device.flush())._unsafeUnwrap().answer).toBeNull();
  expect(await stored()).toEqual(numbers(0, 1_000));
});

test("a failed storage gives an error, and the next call reloads the journal", async () => {
  let isBroken = false;
  const storage = createMemoryBuffer();
  const buffer: BufferStorage = {
    ...storage,
    async append(lines) {
      // Only the first line is written.
      await storage.append(isBroken ? lines.slice(0, 1) : lines);
      if (isBroken) throw new Error("disk full");
    },
    async replace(lines) {
      if (isBroken) throw new Error("disk is still full");
      await storage.replace(lines);
    },
  };
  const { boot, stored } = await start({ buffer });
  const device = boot();
  expect((await device.record({ n: 0 })).isOk()).toBe(true);
  isBroken = true;
  const error = (await device.record({ n: 1 }, { n: 2 }))._unsafeUnwrapErr();
  expect(error).toMatchObject({ code: "storage", message: expect.stringContaining("disk full") });
  isBroken = false;
  expect((await device.record({ n: 3 })).isOk()).toBe(true);
  expect((await device.flush()).isOk()).toBe(true);
  expect(await stored()).toEqual([0, 1, 3]);
});
