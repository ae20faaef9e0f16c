import { err, ok, type Result } from "neverthrow";
import type { GatewayContext } from "../context.js";
import { findVisibleDevice, visibleTo } from "../dashboard/visible-device.js";
import type { Failure } from "../failure.js";
import type { JsonObject } from "../json.js";
import type { StoredTelemetryRecord } from "../telemetry/telemetry-store.js";
import { toTimestamp } from "../timestamp.js";
import type { User } from "../user/user.js";

const streamsPerUser = 5;
/** A word now and then, so that proxies don't take the stream for dead. */
const heartbeatMs = 15_000;
/** Then the browser connects again, and proves anew who it is. */
const longestMs = 3_600_000;
/** A client that falls behind so far is cut off; it resumes where it was. */
const mostWaiting = 1_000;
const catchUpPage = 200;

export interface LiveQuery {
  readonly deviceId: string;
  /** The position of the last record that the client has, from `Last-Event-ID`. */
  readonly lastEventId: string | undefined;
}

type LiveFailure = Failure<"device_not_found" | "invalid_request" | "too_many_requests">;

/** A server-sent event (WHATWG HTML, section 9.2). JSON has no line breaks of its own. */
function toEvent({ position, at, body }: StoredTelemetryRecord): string {
  const data = { ...(JSON.parse(body) as JsonObject), timestamp: toTimestamp(at) };
  return `id: ${position}\ndata: ${JSON.stringify(data)}\n\n`;
}

interface Waiting {
  readonly records: StoredTelemetryRecord[];
  push(records: readonly StoredTelemetryRecord[]): void;
  /** Resolves when there is something, or after the heartbeat's time. */
  next(): Promise<void>;
}

function createWaiting(): Waiting {
  const records: StoredTelemetryRecord[] = [];
  let wake = () => {};
  return {
    records,
    push(more) {
      records.push(...more);
      wake();
    },
    next: () =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, heartbeatMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
        if (records.length > 0) wake();
      }),
  };
}

async function* follow(
  { store, liveFeed, deviceCache, clock, openStreams }: GatewayContext,
  user: User,
  deviceId: string,
  resumeAt: number | null,
): AsyncGenerator<string> {
  const endsAt = clock.now() + longestMs;
  const waiting = createWaiting();
  const visibleFrom = async () => {
    const device = await deviceCache.find(deviceId);
    return device === null ? undefined : visibleTo(user, device)?.from;
  };
  openStreams.set(user.id, (openStreams.get(user.id) ?? 0) + 1);
  const { position, stop } = await liveFeed.watch(deviceId, waiting.push);
  try {
    yield "retry: 2000\n\n";
    // What came while the client was away, up to where the feed begins.
    for (let after = resumeAt ?? position; after < position; ) {
      const page = await store.telemetry.read({ deviceId, after, limit: catchUpPage });
      const from = await visibleFrom();
      if (from === undefined) return;
      for (const record of page) {
        const isMissed = record.position <= position;
        if (isMissed && record.at >= from && record.receivedAt >= from) yield toEvent(record);
      }
      after = page.length < catchUpPage ? position : (page.at(-1)?.position ?? position);
    }
    while (clock.now() < endsAt && waiting.records.length <= mostWaiting) {
      await waiting.next();
      const from = await visibleFrom();
      if (from === undefined) return;
      if (waiting.records.length === 0) yield ": still here\n\n";
      for (const record of waiting.records.splice(0)) {
        if (record.at >= from && record.receivedAt >= from) yield toEvent(record);
      }
    }
  } finally {
    stop();
    openStreams.set(user.id, (openStreams.get(user.id) ?? 1) - 1);
  }
}

/** Streams what a device sends from now on, or from where the client was (contract §7). */
export async function liveTelemetry(
  context: GatewayContext,
  user: User,
  { deviceId, lastEventId }: LiveQuery,
): Promise<Result<AsyncIterable<string>, LiveFailure>> {
  const visible = await findVisibleDevice(context, user, deviceId);
  if (visible.isErr()) return err(visible.error);
  if ((context.openStreams.get(user.id) ?? 0) >= streamsPerUser) {
    return err({ code: "too_many_requests", retryAfterSeconds: 5 });
  }
  return ok(
    follow(context, user, deviceId, lastEventId === undefined ? null : Number(lastEventId)),
  );
}
