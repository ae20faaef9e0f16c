import { err, ok, type Result } from "neverthrow";
import type { GatewayContext } from "../context.js";
import { Aggregate, type HistoryAnswer } from "../contract/index.js";
import { findVisibleDevice } from "../dashboard/visible-device.js";
import type { Failure } from "../failure.js";
import { badCursor, parseCursor, toCursor } from "../page.js";
import { mostMetrics } from "../telemetry/bucket.js";
import { chooseInterval, formatInterval, parseInterval } from "../telemetry/interval.js";
import { type MetricSelection, parseSelection } from "../telemetry/metric-selection.js";
import type { RecordRange } from "../telemetry/telemetry-store.js";
import { toTimestamp } from "../timestamp.js";
import type { User } from "../user/user.js";
import { readBucketHistory } from "./bucket-history.js";
import type { HistoryPart, HistoryPoint } from "./history-part.js";
import { parseRange, type RangeQuery } from "./history-range.js";
import { readRawHistory } from "./raw-history.js";

const hourMs = 3_600_000;
const defaultHours = 6;

export interface HistoryQuery extends RangeQuery {
  readonly metrics?: string | undefined;
  readonly limit: number;
  /** `auto`, `raw`, or a length such as `5m`. */
  readonly interval: string;
  /** Comma list. */
  readonly aggregate: string;
  readonly cursor?: string | undefined;
}

type HistoryFailure = Failure<"device_not_found" | "invalid_request">;

function parseAggregates(list: string): Result<Aggregate[], HistoryFailure> {
  const parsed = list.split(",").map((part) => Aggregate.safeParse(part.trim()));
  const aggregates = parsed.flatMap(({ data }) => data ?? []);
  if (aggregates.length === parsed.length) return ok(aggregates);
  const message = `A comma list of ${Aggregate.options.join(", ")}`;
  return err({
    code: "invalid_request",
    errors: [{ path: "aggregate", code: "invalid", message }],
  });
}

/** A place among samples is `at:position`, one among buckets a time. */
const isRawPlace = (place: string) => place.includes(":");

/** The length of a bucket, or null for raw samples; what began in one way goes on in it. */
async function intervalOf(
  { store, clock, limits }: GatewayContext,
  { interval, limit }: HistoryQuery,
  range: RecordRange,
  place: string | null,
): Promise<number | null> {
  if (interval === "raw") return null;
  const wanted = parseInterval(interval);
  if (wanted !== undefined) return wanted;
  if (place !== null && isRawPlace(place)) return null;
  const chosen = chooseInterval(range.from, range.to, limit);
  // Beyond the records' retention there are roll-ups alone.
  const oldest = clock.now() - limits.telemetryRetentionDays * 24 * hourMs;
  if (range.from < oldest) return Math.max(hourMs, chosen);
  if (place !== null) return chosen;
  const samples = await store.telemetry.count({ ...range, atMost: limit + 1 });
  return samples <= limit ? null : chosen;
}

/** A bucket that may have had more metrics than one keeps. */
const isFull = ({ values }: HistoryPoint) => values.length >= mostMetrics;

function namesIn({ points }: HistoryPart): string[] {
  return [...new Set(points.flatMap(({ values }) => values.map(([name]) => name)))];
}

/** Shows how a device's metrics went, as far back as the user may see (contract §7). */
export async function readHistory(
  context: GatewayContext,
  user: User,
  deviceId: string,
  query: HistoryQuery,
): Promise<Result<HistoryAnswer, HistoryFailure>> {
  const visible = await findVisibleDevice(context, user, deviceId);
  if (visible.isErr()) return err(visible.error);
  const asked = parseRange(query, context.clock.now(), defaultHours);
  if (asked.isErr()) return err(asked.error);
  const aggregates = parseAggregates(query.aggregate);
  if (aggregates.isErr()) return err(aggregates.error);
  const cursor = parseCursor(query.cursor, "");
  if (cursor.isErr()) return err(cursor.error);
  if (!/^(\d{1,15}(:\d{1,15})?)?$/.test(cursor.value)) return err(badCursor);

  const { telemetry } = context.store;
  const receivedFrom = visible.value.from;
  const { to } = asked.value;
  const from = Math.max(asked.value.from, receivedFrom);
  const range: RecordRange = { deviceId, from, to, receivedFrom };
  const selection: MetricSelection = parseSelection(query.metrics);
  const { limit } = query;
  const place = cursor.value || null;
  const intervalMs = await intervalOf(context, query, range, place);
  if (place !== null && isRawPlace(place) !== (intervalMs === null)) return err(badCursor);
  const part =
    intervalMs === null
      ? await readRawHistory(telemetry, range, selection, limit, place)
      : await readBucketHistory(
          telemetry,
          range,
          { intervalMs, selection, aggregates: aggregates.value, limit },
          place,
        );
  return ok({
    deviceId,
    from: toTimestamp(from),
    to: toTimestamp(to),
    interval: intervalMs === null ? "raw" : formatInterval(intervalMs),
    metrics: namesIn(part),
    points: part.points.map(({ timestamp, values }) => ({
      ...Object.fromEntries(values),
      timestamp,
    })),
    truncated: part.next !== null || (intervalMs !== null && part.points.some(isFull)),
    nextCursor: part.next === null ? null : toCursor(part.next),
  });
}
