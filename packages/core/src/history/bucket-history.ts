import type { Aggregate } from "../contract/index.js";
import type { MetricBucket } from "../telemetry/bucket.js";
import { bucketStart, countBuckets } from "../telemetry/interval.js";
import type { MetricSelection } from "../telemetry/metric-selection.js";
import type { RecordRange, TelemetryStore } from "../telemetry/telemetry-store.js";
import { toTimestamp } from "../timestamp.js";
import { gatherPart, type HistoryPart, type HistoryPoint } from "./history-part.js";

export interface BucketQuery {
  readonly intervalMs: number;
  readonly selection: MetricSelection;
  readonly aggregates: readonly Aggregate[];
  readonly limit: number;
}

const aggregated = (bucket: MetricBucket, aggregate: Aggregate) =>
  aggregate === "avg" ? bucket.sum / bucket.count : bucket[aggregate];

/** One aggregate is the value itself, several are an object (contract §7). */
function toValue(bucket: MetricBucket, aggregates: readonly Aggregate[]): unknown {
  const [only] = aggregates;
  if (aggregates.length === 1 && only !== undefined) return aggregated(bucket, only);
  return Object.fromEntries(
    aggregates.map((aggregate) => [aggregate, aggregated(bucket, aggregate)]),
  );
}

function toPoints(
  buckets: readonly MetricBucket[],
  aggregates: readonly Aggregate[],
): HistoryPoint[] {
  const byStart = new Map<number, [string, unknown][]>();
  for (const bucket of buckets) {
    const values = byStart.get(bucket.start) ?? [];
    byStart.set(bucket.start, values);
    values.push([bucket.name, toValue(bucket, aggregates)]);
  }
  return [...byStart].map(([start, values]) => ({ values, timestamp: toTimestamp(start) }));
}

/** Lengths of time that are worked out at once: each may have very many metrics. */
const mostAtOnce = 300;

/** The newest buckets of a range; what is older ends at the part's `next`. */
export function readBucketHistory(
  telemetry: Pick<TelemetryStore, "aggregate">,
  range: RecordRange,
  { intervalMs, selection, aggregates, limit }: BucketQuery,
  cursor: string | null,
): Promise<HistoryPart> {
  return gatherPart(limit, mostAtOnce, cursor, async (place, most) => {
    const to = place === null ? range.to : Math.min(range.to, Number(place));
    const goesOn = countBuckets(range.from, to, intervalMs) > most;
    const from = goesOn ? bucketStart(to - 1, intervalMs) - (most - 1) * intervalMs : range.from;
    const buckets = await telemetry.aggregate({ ...range, from, to, intervalMs, selection });
    return { points: toPoints(buckets, aggregates), next: goesOn ? String(from) : null };
  });
}
