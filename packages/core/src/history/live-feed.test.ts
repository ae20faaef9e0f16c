import { createMemoryStore } from "@device-gateway/store-memory";
import { registerSampleDevice } from "@device-gateway/testing";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { silentLogger } from "../ports/logger.js";
import { createLiveFeed } from "./live-feed.js";

/** Turns of the event loop are real, although timers are not. */
const soon = setImmediate;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

async function start() {
  const store = createMemoryStore();
  for (const deviceId of ["quiet", "busy"]) {
    await registerSampleDevice(store, deviceId);
  }
  const send = (deviceId: string, count: number) =>
    store.telemetry.append({
      ...{ deviceId, receivedAt: 1, once: null },
      records: Array.from({ length: count }, (_, n) => ({
        ...{ at: 1, seq: null, isTimed: false },
        value: { n },
      })),
    });
  const read = vi.spyOn(store.telemetry, "read");
  return {
    send,
    read,
    telemetry: store.telemetry,
    feed: createLiveFeed(store.telemetry, silentLogger),
  };
}

test("a quiet device is polled after the records of others, and nothing is missed", async () => {
  const { send, read, feed } = await start();
  const seen: number[] = [];
  const { position } = await feed.watch("quiet", (records) =>
    seen.push(...records.map((r) => r.position)),
  );
  await send("busy", 500);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(read.mock.lastCall?.[0].after).toBe(position + 500);
  await send("quiet", 450);
  await send("busy", 1);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(seen).toEqual(Array.from({ length: 450 }, (_, n) => position + 501 + n));
});

test("polling stops when nobody watches, and starts once when somebody watches again", async () => {
  const { read, feed } = await start();
  const first = await feed.watch("quiet", () => {});
  const second = await feed.watch("quiet", () => {});
  await vi.advanceTimersByTimeAsync(1_000);
  expect(read).toHaveBeenCalledTimes(1);
  first.stop();
  second.stop();
  expect(vi.getTimerCount()).toBe(0);
  await feed.watch("quiet", () => {});
  expect(vi.getTimerCount()).toBe(1);
});

test("after a restored backup, a new listener gets records although an old one has not stopped", async () => {
  const [lost, restored] = [await start(), await start()];
  await lost.send("quiet", 10);
  let { telemetry } = lost;
  const feed = createLiveFeed(
    {
      read: (query) => telemetry.read(query),
      lastPositions: (deviceIds) => telemetry.lastPositions(deviceIds),
    },
    silentLogger,
  );
  await feed.watch("quiet", () => {});
  ({ telemetry } = restored);
  feed.forget();
  const seen: number[] = [];
  await feed.watch("quiet", (records) => seen.push(...records.map((r) => r.position)));
  await restored.send("quiet", 2);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(seen).toEqual([1, 2]);
});

test("each of many watched devices is polled in a turn of its own", async () => {
  const { read, feed } = await start();
  for (let n = 0; n < 100; n++) await feed.watch(`gw-${n}`, () => {});
  let turn = 0;
  const watch = () => {
    turn += 1;
    if (read.mock.calls.length < 100) soon(watch);
  };
  soon(watch);
  const turns = new Set<number>();
  read.mockImplementation(async () => {
    turns.add(turn);
    return [];
  });
  await vi.advanceTimersByTimeAsync(1_900);
  await expect.poll(() => read.mock.calls.length).toBe(100);
  expect(turns.size).toBe(100);
});
