import { err, errAsync, okAsync, ResultAsync } from "neverthrow";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type FollowError, followTelemetry } from "./follow-telemetry.js";
import type { UserClient } from "./user-client.js";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Live streams whose content the test sends. */
function startStreams() {
  const streams: { send(text: string): void; end(): void; isCancelled: boolean }[] = [];
  const open = () => {
    let controller: ReadableStreamDefaultController<Uint8Array>;
    const stream = {
      send: (text: string) => controller.enqueue(new TextEncoder().encode(text)),
      end: () => controller.close(),
      isCancelled: false,
    };
    streams.push(stream);
    return new Response(
      new ReadableStream<Uint8Array>({
        start: (own) => {
          controller = own;
        },
        cancel: () => {
          stream.isCancelled = true;
        },
      }),
    );
  };
  return { streams, open };
}

type Opening = ReturnType<UserClient["followTelemetry"]>;

/** The event with which the server begins each stream. It has a position and no record. */
const beginning = "retry: 2000\nid: 6\n\n";

/** Makes each random delay the longest. */
const longestDelays = { bytes: (length: number) => new Uint8Array(length).fill(255) };

const follow = (open: () => Opening, signal?: AbortSignal) =>
  followTelemetry({ followTelemetry: open }, "gw-1", { ...(signal && { signal }) });

test("§7 the signal ends a live stream while the device sends nothing", async () => {
  const { streams, open } = startStreams();
  const stopping = new AbortController();
  const timers = vi.getTimerCount();
  const following = follow(() => okAsync(open()), stopping.signal);
  const next = following.next();
  await vi.advanceTimersByTimeAsync(1);
  streams[0]?.send("id: 0\n\n");
  await vi.advanceTimersByTimeAsync(1);
  stopping.abort();
  expect(await next).toEqual({ done: true, value: undefined });
  expect(streams.map(({ isCancelled }) => isCancelled)).toEqual([true]);
  expect(vi.getTimerCount()).toBe(timers);
});

test("§7 the signal ends a live stream between two attempts and leaves no timer behind", async () => {
  const error: FollowError = { code: "unavailable", message: "", status: 503 };
  const opened = vi.fn(() => new ResultAsync(Promise.resolve(err(error))));
  const stopping = new AbortController();
  const timers = vi.getTimerCount();
  const next = follow(opened, stopping.signal).next();
  await vi.advanceTimersByTimeAsync(0);
  expect(vi.getTimerCount()).toBe(timers + 1);
  stopping.abort();
  expect(await next).toEqual({ done: true, value: undefined });
  expect(opened).toHaveBeenCalledTimes(1);
  expect(vi.getTimerCount()).toBe(timers);
});

test("§7 the signal ends a live stream before the response, and a late response is cancelled", async () => {
  const { streams, open } = startStreams();
  let answer = (_: Response) => {};
  const opening = ResultAsync.fromSafePromise(
    new Promise<Response>((resolve) => (answer = resolve)),
  );
  const stopping = new AbortController();
  const next = follow(() => opening, stopping.signal).next();
  await vi.advanceTimersByTimeAsync(1);
  stopping.abort();
  expect(await next).toEqual({ done: true, value: undefined });
  answer(open());
  await vi.advanceTimersByTimeAsync(1);
  expect(streams.map(({ isCancelled }) => isCancelled)).toEqual([true]);
});

test("§7 a signal that is already aborted prevents the request", async () => {
  const opened = vi.fn(() => okAsync(new Response()));
  const next = follow(opened, AbortSignal.abort()).next();
  expect(await next).toEqual({ done: true, value: undefined });
  expect(opened).not.toHaveBeenCalled();
});

test("§7 a stream that is silent for 45 s counts as broken, and a comment ends the silence", async () => {
  const { streams, open } = startStreams();
  const following = follow(() => okAsync(open()));
  const next = following.next();
  await vi.advanceTimersByTimeAsync(44_000);
  streams[0]?.send(": \n\n");
  await vi.advanceTimersByTimeAsync(44_000);
  expect(streams).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1_000 + 1_000);
  expect(streams.map(({ isCancelled }) => isCancelled)).toEqual([true, false]);
  streams[1]?.send('id: 1\ndata: {"n":1}\n\n');
  expect((await next).value?._unsafeUnwrap()).toEqual({ position: "1", record: { n: 1 } });
});

test("§7 a refused live stream is not opened again before Retry-After", async () => {
  const error: FollowError = {
    ...{ code: "too_many_requests", message: "", status: 429 },
    retryAfterSeconds: 90,
  };
  const stopping = new AbortController();
  const pauses: number[] = [];
  const following = followTelemetry({ followTelemetry: () => errAsync(error) }, "gw-1", {
    signal: stopping.signal,
    async sleep(ms) {
      pauses.push(ms);
      stopping.abort();
    },
  });
  expect(await following.next()).toEqual({ done: true, value: undefined });
  expect(pauses).toEqual([90_000]);
});

test("§7 a record that cannot be read is requested again, with growing pauses", async () => {
  const { streams, open } = startStreams();
  const positions: unknown[] = [];
  const pauses: number[] = [];
  const stopping = new AbortController();
  const following = followTelemetry(
    {
      followTelemetry({ headers }) {
        positions.push(headers?.["last-event-id"]);
        const opened = okAsync(open());
        const isDamaged = positions.length <= 3;
        streams.at(-1)?.send(beginning);
        streams.at(-1)?.send(`id: 7\ndata: ${isDamaged ? '{"n":' : '{"n":1}'}\n\n`);
        if (isDamaged) streams.at(-1)?.send("id: 8\ndata: {}\n\n");
        return opened;
      },
    },
    "gw-1",
    {
      after: "6",
      signal: stopping.signal,
      random: longestDelays,
      sleep: async (ms) => void pauses.push(ms),
    },
  );
  const { value } = await following.next();
  stopping.abort();
  expect(value?._unsafeUnwrap()).toEqual({ position: "7", record: { n: 1 } });
  expect(positions).toEqual(["6", "6", "6", "6"]);
  expect(pauses).toEqual([999, 1_999, 3_999]);
});

test("§7 streams that end without a record have growing pauses, unless one was open for a minute", async () => {
  const { streams, open } = startStreams();
  const pauses: number[] = [];
  const stopping = new AbortController();
  const following = followTelemetry({ followTelemetry: () => okAsync(open()) }, "gw-1", {
    signal: stopping.signal,
    random: longestDelays,
    sleep: async (ms) => void pauses.push(ms),
  });
  const next = following.next();
  for (const heartbeats of [0, 0, 0, 2, 0]) {
    await vi.advanceTimersByTimeAsync(1);
    const stream = streams.at(-1);
    stream?.send(beginning);
    for (let sent = 0; sent < heartbeats; sent++) {
      await vi.advanceTimersByTimeAsync(30_000);
      stream?.send(": still here\n\n");
    }
    stream?.end();
    await vi.advanceTimersByTimeAsync(1);
  }
  stopping.abort();
  expect(await next).toEqual({ done: true, value: undefined });
  expect(pauses).toEqual([999, 1_999, 3_999, 999, 1_999]);
});
