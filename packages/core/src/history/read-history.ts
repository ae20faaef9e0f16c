import { err, ok, type Result } from "neverthrow";
import { findVisibleDevice } from "../access/visible-device.js";
import type { GatewayContext } from "../context.js";
import { Aggregate, type HistoryAnswer } from "../contract/index.js";
import { toUtf8 } from "../shared/bytes.js";
import { dayMs, hourMs } from "../shared/durations.js";
import type { Failure } from "../shared/failure.js";
import { JsonBytes } from "../shared/json-bytes.js";
import { badCursor, parseCursor, toCursor } from "../shared/page.js";
import { toTimestamp } from "../shared/timestamp.js";
import type { Turn } from "../shared/turn.js";
import { mostMetrics } from "../telemetry/bucket.js";
import { chooseInterval, formatInterval, parseInterval } from "../telemetry/interval.js";
import { type MetricSelection, parseSelection } from "../telemetry/metric-selection.js";
import type { RecordRange, TelemetryReads } from "../telemetry/telemetry-store.js";
import type { User } from "../user/user.js";
import { readBucketHistory } from "./bucket-history.js";
import { chargeHistory, countMetrics, estimateWork, type HistoryWork } from "./history-cost.js";
import type { HistoryPart } from "./history-part.js";
import { parseRange, type RangeQuery } from "./history-range.js";
import { openReads } from "./open-reads.js";
import { readRawHistory } from "./raw-history.js";

const defaultHours = 6;

export interface HistoryQuery extends RangeQuery {
  readonly metrics?: string | undefined;
  readonly limit: number;
  /** `auto`, `raw`, or a length such as `5m`. */
  readonly interval: string;
  /** Comma-separated list. */
  readonly aggregate: string;
  readonly cursor?: string | undefined;
}

type HistoryFailure = Failure<"device_not_found" | "invalid_request" | "too_many_requests">;

function parseAggregates(list: string): Result<Aggregate[], HistoryFailure> {
  const parsed = list.split(",").map((part) => Aggregate.safeParse(part.trim()));
  const aggregates = parsed.flatMap(({ data }) => data ?? []);
  if (aggregates.length === parsed.length) return ok(aggregates);
  const message = `Send one or more of ${Aggregate.options.join(", ")}, separated by commas.`;
  return err({
    code: "invalid_request",
    errors: [{ path: "aggregate", code: "invalid", message }],
  });
}

/** A place among samples is `at:position`. A place among buckets is a time. */
const isRawPlace = (place: string) => place.includes(":");

/**
 * Returns the interval of a query in milliseconds, or null for raw samples. A cursor continues in the form of its
 * first page.
 */
async function intervalOf(
  { clock, limits }: GatewayContext,
  telemetry: TelemetryReads,
  { interval, limit }: HistoryQuery,
  range: RecordRange,
  place: string | null,
): Promise<number | null> {
  if (interval === "raw") return null;
  const wanted = parseInterval(interval);
  if (wanted !== undefined) return wanted;
  if (place !== null && isRawPlace(place)) return null;
  const chosen = chooseInterval(range.from, range.to, limit);
  // Records older than the retention exist as roll-ups only.
  const oldest = clock.now() - limits.telemetryRetentionDays * dayMs;
  if (range.from < oldest) return Math.max(hourMs, chosen);
  if (place !== null) return chosen;
  const samples = await telemetry.count({ ...range, atMost: limit + 1 });
  return samples <= limit ? null : chosen;
}

/** Returns the time before which a device has neither records nor roll-ups. */
function oldestData({ clock, limits }: GatewayContext): number {
  const days = Math.max(limits.rollUpRetentionDays, 2 * limits.telemetryRetentionDays + 1);
  return clock.now() - days * dayMs;
}

/** Serialises a response whose points are JSON already. */
function toAnswer(
  head: Omit<HistoryAnswer, "points" | "truncated" | "nextCursor">,
  { json, next }: HistoryPart,
  truncated: boolean,
): JsonBytes<HistoryAnswer> {
  const nextCursor = next === null ? null : toCursor(next);
  const begin = JSON.stringify(head).slice(0, -1);
  const end = JSON.stringify({ truncated, nextCursor }).slice(1);
  const points = json.map((some, n) => (n === 0 ? some.subarray(1) : some));
  return new JsonBytes([toUtf8(`${begin},"points":[`), ...points, toUtf8(`],${end}`)]);
}

/** An answer whose data may be some seconds old. Its headers say so. */
export interface DatedHistory {
  readonly answer: JsonBytes<HistoryAnswer>;
  readonly headers: Readonly<Record<string, string>>;
}

/** Returns a device's metrics over time, as far back as the user may see them (§7). */
export async function readHistory(
  context: GatewayContext,
  user: User,
  deviceId: string,
  query: HistoryQuery,
  turn: Turn,
): Promise<Result<DatedHistory, HistoryFailure>> {
  const visible = await findVisibleDevice(context, user, deviceId);
  if (visible.isErr()) return err(visible.error);
  const asked = parseRange(query, context.clock.now(), defaultHours);
  if (asked.isErr()) return err(asked.error);
  const aggregates = parseAggregates(query.aggregate);
  if (aggregates.isErr()) return err(aggregates.error);
  const cursor = parseCursor(query.cursor, "");
  if (cursor.isErr()) return err(cursor.error);
  if (!/^(\d{1,15}(:\d{1,15})?)?$/.test(cursor.value)) return err(badCursor);

  const { telemetry, headers } = await openReads(context);
  const receivedFrom = visible.value.from;
  const { to } = asked.value;
  const from = Math.max(asked.value.from, receivedFrom);
  const range: RecordRange = { deviceId, from, to, receivedFrom };
  const selection: MetricSelection = parseSelection(query.metrics);
  const { limit } = query;
  const place = cursor.value || null;
  const intervalMs = await intervalOf(context, telemetry, query, range, place);
  if (place !== null && isRawPlace(place) !== (intervalMs === null)) return err(badCursor);
  const end = place === null ? to : Math.min(to, Number.parseInt(place, 10));
  const begin = Math.max(from, oldestData(context));
  const work = estimateWork({ intervalMs, limit, from: Math.min(begin, end), to: end });
  const charged = await chargeHistory(context, user.id, work, selection);
  if (charged.isErr()) return err(charged.error);
  const settle = charged.value;
  const progress = { records: 0, mostMetrics: 0 };
  const reading = { turn, progress };
  /** Reads a part when it is the user's turn, and settles its cost, even if the read ends early. */
  const readPart = (read: () => Promise<HistoryPart>): Promise<HistoryPart> =>
    context.historyInTurn(user.id, async () => {
      const done = (): HistoryWork[] => {
        const records = { kind: "records" as const, count: progress.records };
        const { mostMetrics: most } = progress;
        return work.kind === "hours" ? [{ ...work, mostMetrics: most }, records] : [records];
      };
      try {
        const part = await read();
        await settle(done(), part.metrics.length);
        return part;
      } catch (fault) {
        await settle(done(), countMetrics(selection)).catch(() => {});
        throw fault;
      }
    });

  const head = { deviceId, from: toTimestamp(from), to: toTimestamp(to) };
  if (intervalMs === null) {
    const part = await readPart(() =>
      readRawHistory(telemetry, range, { selection, limit }, place, reading),
    );
    const { metrics, next } = part;
    const rawHead = { ...head, interval: "raw", metrics: [...metrics] };
    return ok({ answer: toAnswer(rawHead, part, next !== null), headers });
  }
  const asBuckets = { intervalMs, selection, aggregates: aggregates.value, limit };
  const part = await readPart(() => readBucketHistory(telemetry, range, asBuckets, place, reading));
  // A bucket or a roll-up that has the largest number of metrics may have dropped others.
  const isFull = Math.max(part.mostMetrics, progress.mostMetrics) >= mostMetrics;
  const interval = formatInterval(intervalMs);
  const metrics = [...part.metrics];
  const truncated = part.next !== null || isFull;
  return ok({ answer: toAnswer({ ...head, interval, metrics }, part, truncated), headers });
}
