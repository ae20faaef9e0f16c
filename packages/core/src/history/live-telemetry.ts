import { err, ok, type Result } from "neverthrow";
import { findVisibleDevice, visibleTo } from "../access/visible-device.js";
import type { GatewayContext } from "../context.js";
import type { GatewayStore } from "../ports/gateway-store.js";
import type { Failure } from "../shared/failure.js";
import { nextTurn } from "../shared/next-turn.js";
import { toTimestamp } from "../shared/timestamp.js";
import type { StoredTelemetryRecord } from "../telemetry/telemetry-store.js";
import type { User } from "../user/user.js";
import { holdWhileRead } from "./hold-while-read.js";

/** A comment is sent at this interval, so that proxies do not close a quiet stream. */
const heartbeatMs = 15_000;
/** Longest duration of a stream. Then the browser connects again and authenticates again. */
const maxDurationMs = 3_600_000;
/** Records that may wait for a client. A client that falls further behind is cut off, and can resume where it was. */
const maxWaiting = 1_000;
const catchUpPage = 200;

export interface LiveQuery {
  readonly deviceId: string;
  /** The position of the last record that the client has, from `Last-Event-ID`. */
  readonly lastEventId: string | undefined;
}

type LiveFailure = Failure<"device_not_found" | "invalid_request" | "too_many_requests">;

/** Formats a record as a server-sent event (WHATWG HTML, section 9.2). JSON text contains no line breaks. */
function toEvent({ position, at, value }: StoredTelemetryRecord): string {
  const data = { ...value, timestamp: toTimestamp(at) };
  return `id: ${position}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** The records of a stream that were not sent yet. */
interface Waiting {
  readonly isClosed: () => boolean;
  push(records: readonly StoredTelemetryRecord[]): void;
  take(): StoredTelemetryRecord[];
  /** Resolves when there are records, when the stream is closed, or after the heartbeat interval. */
  next(): Promise<void>;
  close(): void;
}

function createWaiting(): Waiting {
  let records: StoredTelemetryRecord[] = [];
  let closed = false;
  let wake = () => {};
  const close = () => {
    closed = true;
    records = [];
    wake();
  };
  return {
    isClosed: () => closed,
    close,
    push(more) {
      if (closed) return;
      records.push(...more);
      if (records.length > maxWaiting) close();
      else wake();
    },
    take: () => records.splice(0),
    next: () =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, heartbeatMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
        if (closed || records.length > 0) wake();
      }),
  };
}

/** Returns whether the client's last record is stored. After a restored backup it is not. */
async function isKnown(
  { telemetry }: GatewayStore,
  deviceId: string,
  place: number,
  newest: number,
): Promise<boolean> {
  if (place <= newest) return true;
  // A store may return a record before the last position includes it.
  const [record] = await telemetry.read({ deviceId, after: place - 1, limit: 1 });
  return record?.position === place;
}

async function* follow(
  { store, liveFeed, missedInTurn, deviceCache, clock }: GatewayContext,
  user: User,
  deviceId: string,
  lastSeen: number | null,
  waiting: Waiting,
  turn: () => Promise<void>,
): AsyncGenerator<string> {
  const endsAt = clock.now() + maxDurationMs;
  const visibleFrom = async () => {
    const device = await deviceCache.find(deviceId);
    return device === null ? undefined : visibleTo(user, device)?.from;
  };
  const mayManage = (record: StoredTelemetryRecord, from: number) =>
    record.at >= from && record.receivedAt >= from;
  const { position, stop } = await liveFeed.watch(deviceId, waiting.push);
  try {
    const goesOn = lastSeen !== null && (await isKnown(store, deviceId, lastSeen, position));
    const resumeAt = goesOn ? lastSeen : null;
    // The first event has an id, so that a client that is cut off before the first record can resume here.
    yield `retry: 2000\nid: ${resumeAt ?? position}\n\n`;
    // The records that arrived while the client was away, up to the start of the feed.
    let after = resumeAt ?? position;
    // Charges the opening of the stream too.
    if (after < position) await turn();
    while (after < position && !waiting.isClosed()) {
      const missed = { deviceId, after, limit: catchUpPage };
      // While the read waited for those of the user's other streams, the client may have gone.
      const page = await missedInTurn(user.id, async () =>
        waiting.isClosed() ? undefined : store.telemetry.read(missed),
      );
      const from = await visibleFrom();
      if (from === undefined || page === undefined) return;
      for (const record of page) {
        if (record.position <= position && mayManage(record, from)) yield toEvent(record);
      }
      after = page.at(-1)?.position ?? position;
      await turn();
    }
    while (clock.now() < endsAt && !waiting.isClosed()) {
      await waiting.next();
      const from = await visibleFrom();
      if (from === undefined || waiting.isClosed()) return;
      const records = waiting.take();
      if (records.length === 0) yield ": still here\n\n";
      for (const record of records) {
        const isNew = record.position > (resumeAt ?? 0);
        if (isNew && mayManage(record, from)) yield toEvent(record);
      }
    }
  } finally {
    stop();
    waiting.close();
  }
}

/**
 * Streams a device's records from now on, or after the last one that the client received (§7). `turn` is called at
 * the opening, and before and after each page of records that the client missed: they may be as many as an export has.
 */
export async function liveTelemetry(
  context: GatewayContext,
  user: User,
  { deviceId, lastEventId }: LiveQuery,
  turn: () => Promise<void> = nextTurn,
): Promise<Result<AsyncIterable<string>, LiveFailure>> {
  const visible = await findVisibleDevice(context, user, deviceId);
  if (visible.isErr()) return err(visible.error);
  // The time until the next turn is charged, so that a client pays for opening a stream that resumes.
  await turn();
  const waiting = createWaiting();
  const giveBack = context.openStreams.take(user.id, waiting.close);
  if (giveBack === undefined) return err({ code: "too_many_requests", retryAfterSeconds: 5 });

  const lastSeen = lastEventId === undefined ? null : Number(lastEventId);
  const events = follow(context, user, deviceId, lastSeen, waiting, turn);
  return ok(
    // Closing wakes the generator. Otherwise it would notice only at the next heartbeat.
    holdWhileRead(events, { stop: waiting.close, giveBack }),
  );
}
