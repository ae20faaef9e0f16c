import dns from "node:dns";
import type { GatewayStore, JsonObject, Logger } from "@device-gateway/core/store";
import {
  createMemoryState,
  createMemoryStore,
  type MemoryState,
} from "@device-gateway/store-memory";
import { sampleDevice, sampleEvent, sampleRecord, sampleTime } from "@device-gateway/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { TelemetrySinkOptions } from "./sink-options.js";
import { startTelemetrySink, type TelemetrySink } from "./telemetry-sink.js";
import { type FakeReceiver, startFakeReceiver } from "./testing/fake-receiver.js";

let state: MemoryState;
let store: GatewayStore;
let receiver: FakeReceiver;
const sinks: TelemetrySink[] = [];

beforeEach(async () => {
  state = createMemoryState();
  store = createMemoryStore(state);
  receiver = await startFakeReceiver();
  for (const deviceId of ["gw-1", "gw-2"]) {
    await store.devices.register({ device: sampleDevice(deviceId), event: sampleEvent(deviceId) });
  }
});
afterEach(async () => {
  await Promise.all(sinks.splice(0).map((sink) => sink.stop()));
  await receiver.close();
  await store.close();
});

function start(options: Partial<TelemetrySinkOptions> = {}): TelemetrySink {
  const sink = startTelemetrySink(store, {
    ...{ url: receiver.url, pollMs: 5, timeoutMs: 2_000, settleMs: 20 },
    ...options,
  });
  sinks.push(sink);
  return sink;
}

async function stop(sink: TelemetrySink): Promise<void> {
  sinks.splice(sinks.indexOf(sink), 1);
  await sink.stop();
}

const lineOf = (seq: number, deviceId = "gw-1") =>
  `telemetry,deviceId=${deviceId},hardware=gw-2 n=${seq} ${sampleTime + seq}`;

async function send(seq: number, deviceId = "gw-1"): Promise<void> {
  const records = [sampleRecord({ at: sampleTime + seq, seq, value: { n: seq } })];
  await store.telemetry.append({ deviceId, receivedAt: sampleTime, records, once: null });
}

const untilReceived = (...lines: readonly string[]) =>
  expect.poll(() => new Set(receiver.lines())).toEqual(new Set(lines));

/** Returns the store as one that can fail over. A port that was taken before then also leads to the other store. */
function withFailover() {
  let current = store;
  const switching = new Proxy(store, {
    get: (first, port: keyof GatewayStore) =>
      new Proxy(first[port] as object, {
        get: (_, method) => Reflect.get(current[port] as object, method) as unknown,
      }),
  });
  const failOver = (other: GatewayStore) => {
    current = other;
  };
  return { switching, failOver };
}

function spyLogger() {
  const warn = vi.fn<Logger["warn"]>();
  return { warn, logger: { debug() {}, info() {}, warn, error() {} } satisfies Logger };
}

describe("a telemetry sink", () => {
  it("writes what is stored and what comes, compressed and with milliseconds", async () => {
    await send(1);
    const sink = start({ url: `${receiver.url}?db=gateway`, token: "planted-token" });
    await untilReceived(lineOf(1));
    await send(2, "gw-2");
    await send(3);
    await untilReceived(lineOf(1), lineOf(2, "gw-2"), lineOf(3));
    const [write] = receiver.writes;
    expect(write?.path).toBe("/write?db=gateway&precision=ms");
    expect(write?.headers).toMatchObject({
      authorization: "Token planted-token",
      "content-encoding": "gzip",
    });
    await expect
      .poll(() => sink.readLevels())
      .toMatchObject({
        ...{ isActive: true, lagSeconds: 0, written: 3 },
        ...{ skipped: 0, droppedValues: 0, failures: 0 },
      });
  });

  it("sends the login of its URL, and other headers", async () => {
    await send(1);
    start({ url: receiver.url.replace("//", "//a%40b:c@"), headers: { "x-scope": "one" } });
    await untilReceived(lineOf(1));
    expect(receiver.writes[0]?.headers).toMatchObject({
      authorization: `Basic ${Buffer.from("a@b:c").toString("base64")}`,
      "x-scope": "one",
    });
  });

  it("continues after a restart where it was, with new records only if told so", async () => {
    await send(1);
    const advance = vi.spyOn(store.followers, "advance");
    const sink = start();
    const cursor = await store.telemetry.end();
    await expect.poll(() => advance.mock.lastCall).toMatchObject([{ cursor }]);
    await stop(sink);
    await send(2);
    start();
    await untilReceived(lineOf(1), lineOf(2));
    expect(receiver.lines()).toEqual([lineOf(1), lineOf(2)]);
    const late = start({ name: "other", startAt: "newest" });
    await expect.poll(() => late.readLevels().isActive).toBe(true);
    await send(3);
    await expect.poll(() => late.readLevels().written).toBe(1);
  });

  it.each([503, 429, 401, 404, 307, null])(
    "keeps every record while the receiver answers %s",
    async (status) => {
      const { warn, logger } = spyLogger();
      await send(1);
      receiver.answer(() => status);
      const sink = start({ logger, timeoutMs: 50, token: "planted-token" });
      await expect.poll(() => sink.readLevels().failures).toBeGreaterThan(1);
      expect(sink.readLevels()).toMatchObject({ written: 0, skipped: 0 });
      expect(sink.readLevels().lagSeconds).toBeGreaterThan(1_000);
      expect(warn).toHaveBeenCalledOnce();
      expect(JSON.stringify(warn.mock.calls, (_, value) => String(value))).not.toContain(
        "planted-token",
      );
      receiver.answer(() => 204);
      await expect.poll(() => sink.readLevels().written).toBeGreaterThan(0);
    },
  );

  it("skips and counts the records that the receiver rejects, and logs it", async () => {
    const { warn, logger } = spyLogger();
    for (let seq = 1; seq <= 9; seq++) await send(seq);
    receiver.answer((lines) => (lines.some((line) => / n=[48] /.test(line)) ? 400 : 204));
    const sink = start({ logger });
    await expect
      .poll(() => sink.readLevels())
      .toMatchObject({ written: 7, skipped: 2, lagSeconds: 0 });
    expect(warn).toHaveBeenCalledWith(
      { skipped: 2, reason: '400: {"error":"planted 400"}' },
      expect.any(String),
    );
  });

  it("makes a limited number of requests if the receiver rejects all records of a device, and writes all others", async () => {
    const others: string[] = [];
    for (let seq = 1; seq <= 250; seq++) {
      await send(seq, "gw-1");
      await send(seq, "gw-2");
      others.push(lineOf(seq, "gw-2"));
    }
    const accepted = new Set<string>();
    receiver.answer((lines) => {
      if (lines.some((line) => line.includes("deviceId=gw-1"))) return 400;
      for (const line of lines) accepted.add(line);
      return 204;
    });
    const sink = start();
    await expect
      .poll(() => sink.readLevels())
      .toMatchObject({ written: 250, skipped: 250, lagSeconds: 0 });
    expect(others.filter((line) => !accepted.has(line))).toEqual([]);
    expect(receiver.writes.length).toBeLessThan(150);
  });

  it("logs once that a device has used up its series, and once that all devices have", async () => {
    const { warn, logger } = spyLogger();
    const sink = start({ logger, maxMetricsPerDevice: 2, maxSeries: 3 });
    const append = (deviceId: string, value: JsonObject) =>
      store.telemetry.append({
        ...{ deviceId, receivedAt: sampleTime, once: null },
        records: [sampleRecord({ value })],
      });
    const untilDropped = (count: number) =>
      expect.poll(() => sink.readLevels().droppedValues).toBe(count);
    await append("gw-1", { a: 1, b: 1, c: 1 });
    await untilDropped(1);
    await append("gw-1", { c: 2 });
    await append("gw-2", { a: 1, b: 1 });
    await untilDropped(3);
    await append("gw-2", { b: 2 });
    await untilDropped(4);
    expect(warn.mock.calls).toEqual([
      [{}, expect.stringMatching(/^A device sends too many different metrics/)],
      [{}, expect.stringMatching(/^The sink has reached its total number of series/)],
    ]);
  });

  it("skips nothing if the receiver rejects every line", async () => {
    await send(1);
    receiver.answer(() => 400);
    const sink = start();
    await expect.poll(() => sink.readLevels().failures).toBeGreaterThan(0);
    expect(sink.readLevels()).toMatchObject({ written: 0, skipped: 0 });
    receiver.answer(() => 204);
    await expect.poll(() => sink.readLevels().written).toBe(1);
  });

  it("logs why each address of the receiver's name could not be reached", async () => {
    const addresses = [
      { address: "127.0.0.1", family: 4 },
      { address: "::1", family: 6 },
    ];
    vi.spyOn(dns, "lookup").mockImplementation(((
      _host: string,
      _options: object,
      callback: (error: null, found: typeof addresses) => void,
    ) => callback(null, addresses)) as unknown as typeof dns.lookup);
    const { warn, logger } = spyLogger();
    await send(1);
    start({ url: "http://receiver.example:1/write", logger });
    await expect
      .poll(() => String(warn.mock.calls[0]?.[0]["err"]))
      .toMatch(/127\.0\.0\.1:1.*::1:1/);
  });

  it("writes the last seconds again after the receiver ended the connection", async () => {
    start({ settleMs: 60_000 });
    await send(1);
    await untilReceived(lineOf(1));
    receiver.disconnect();
    await expect.poll(() => receiver.lines()).toEqual([lineOf(1), lineOf(1)]);
  });

  it("writes the last seconds again after a proxy reported over the same connection that the receiver is away", async () => {
    start({ settleMs: 60_000 });
    await send(1);
    await untilReceived(lineOf(1));
    receiver.answer(() => {
      receiver.answer(() => 204);
      return 502;
    });
    await send(2);
    await expect.poll(() => receiver.lines()).toEqual([lineOf(1), lineOf(2), lineOf(1), lineOf(2)]);
    expect(receiver.connections()).toBe(1);
  });

  it("writes from one process at a time, and from the other when the first one ends", async () => {
    const [first, second] = [start(), start()];
    await expect.poll(() => first.readLevels().isActive || second.readLevels().isActive).toBe(true);
    const active = first.readLevels().isActive ? first : second;
    const waiting = active === first ? second : first;
    await send(1);
    await untilReceived(lineOf(1));
    expect(waiting.readLevels()).toMatchObject({ isActive: false, lagSeconds: null, written: 0 });
    await stop(active);
    await send(2);
    await untilReceived(lineOf(1), lineOf(2));
    expect(waiting.readLevels().isActive).toBe(true);
  });

  it("stops while the receiver does not answer", async () => {
    await send(1);
    receiver.answer(() => null);
    const sink = start({ timeoutMs: 60_000 });
    await expect.poll(() => receiver.writes.length).toBe(1);
    await stop(sink);
  });

  it.each([
    [{ url: "ftp://host/write" }, "url"],
    [{ url: "http://u:100%sure@host/write" }, "url: write % as %25"],
    [{ measurement: "a\\b" }, "measurement"],
    [{ metrics: [] }, "metrics"],
    [{ pollMs: 0 }, "pollMs"],
    [{ maxSeries: 1.5 }, "maxSeries"],
  ])("rejects the options %j", (options, name) => {
    expect(() => start(options)).toThrow(name);
  });

  it("after a failover that lost records, it writes the new ones that got their positions", async () => {
    const full = store;
    const behind = createMemoryStore();
    const register = { device: sampleDevice("gw-1"), event: sampleEvent("gw-1") };
    await behind.devices.register(register);
    const { switching, failOver } = withFailover();
    for (const seq of [1, 2, 3]) await send(seq);
    const sink = startTelemetrySink(switching, { url: receiver.url, pollMs: 5, settleMs: 60_000 });
    sinks.push(sink);
    await untilReceived(lineOf(1), lineOf(2), lineOf(3));
    // The new primary has none of the records, and gives their positions to others.
    failOver(behind);
    store = behind;
    await send(4);
    await untilReceived(lineOf(1), lineOf(2), lineOf(3), lineOf(4));
    await full.close();
  });

  it("after a failover during a request, it writes the new records that got the positions of lost ones", async () => {
    const { switching, failOver } = withFailover();
    const sink = startTelemetrySink(switching, { url: receiver.url, pollMs: 5, settleMs: 1 });
    sinks.push(sink);
    await expect.poll(() => sink.readLevels().isActive).toBe(true);
    // The new primary has the lease, and lacks this change and the first two records.
    const behind = createMemoryStore(structuredClone(state));
    await store.devices.register({ device: sampleDevice("gw-3"), event: sampleEvent("gw-3") });
    receiver.answer((lines) => {
      // The first record becomes safe while the second one is written.
      if (lines.includes(lineOf(1))) void send(2);
      else failOver(behind);
      return 204;
    });
    await send(1);
    await untilReceived(lineOf(1), lineOf(2));
    await store.close();
    store = behind;
    await send(3);
    await untilReceived(lineOf(1), lineOf(2), lineOf(3));
  });
});
