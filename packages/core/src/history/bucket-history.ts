import type { Aggregate } from "../contract/index.js";
import { toTimestamp } from "../shared/timestamp.js";
import type { Turn } from "../shared/turn.js";
import type { MetricBucket } from "../telemetry/bucket.js";
import { bucketStart, countBuckets } from "../telemetry/interval.js";
import type { MetricSelection } from "../telemetry/metric-selection.js";
import type { RecordRange, TelemetryStore } from "../telemetry/telemetry-store.js";
import { gatherPart, type HistoryPart, type Reading } from "./history-part.js";
import type { HistoryPoint } from "./point-writer.js";

export interface BucketQuery {
  readonly intervalMs: number;
  readonly selection: MetricSelection;
  readonly aggregates: readonly Aggregate[];
  readonly limit: number;
}

const aggregated = (bucket: MetricBucket, aggregate: Aggregate) =>
  aggregate === "avg" ? bucket.sum / bucket.count : bucket[aggregate];

/** Returns the value itself for one aggregate, and an object for several (§7). */
function toValue(bucket: MetricBucket, aggregates: readonly Aggregate[]): unknown {
  const [only] = aggregates;
  if (aggregates.length === 1 && only !== undefined) return aggregated(bucket, only);
  return Object.fromEntries(
    aggregates.map((aggregate) => [aggregate, aggregated(bucket, aggregate)]),
  );
}

/** Creates each point when it is read. Creating all at once would take one long turn of the event loop. */
function* toPoints(
  buckets: readonly MetricBucket[],
  aggregates: readonly Aggregate[],
): Generator<HistoryPoint> {
  for (let begin = 0; begin < buckets.length; ) {
    const { start } = buckets[begin] as MetricBucket;
    const names: string[] = [];
    const values: unknown[] = [];
    let end = begin;
    for (let bucket = buckets[end]; bucket?.start === start; bucket = buckets[++end]) {
      names.push(bucket.name);
      values.push(toValue(bucket, aggregates));
    }
    yield { names, values, timestamp: toTimestamp(start) };
    begin = end;
  }
}

/** Buckets that are aggregated at once. Each can have very many metrics. An ordinary chart, such as a year by day, is read at once. */
const maxAtOnce = 400;
/** The same for longer responses, so that each piece of their work takes only some milliseconds. */
const maxAtOnceOfMany = 60;

/**
 * How many turns of one call of `aggregate` are charged to the long reads of its client site. If all were charged, a
 * page with six charts of a year would wait for longer than a response may take: on Postgres each piece includes the
 * database's time.
 */
const chargedTurns = 2;

function limitCharge(turn: Turn): () => Promise<void> {
  let turns = 0;
  return () => turn(turns++ < chargedTurns ? "charged" : "uncharged");
}

/** Returns the newest buckets of a range. Older ones end at the part's `next`. */
export async function readBucketHistory(
  telemetry: Pick<TelemetryStore, "aggregate">,
  range: RecordRange,
  { intervalMs, selection, aggregates, limit }: BucketQuery,
  cursor: string | null,
  { turn, progress }: Reading,
): Promise<HistoryPart> {
  const wanted = Math.min(limit, countBuckets(range.from, range.to, intervalMs));
  const pageLimit = wanted > maxAtOnce ? maxAtOnceOfMany : maxAtOnce;
  return gatherPart({ limit, pageLimit, start: cursor, turn }, async (place, atMost) => {
    const to = place === null ? range.to : Math.min(range.to, Number(place));
    const goesOn = countBuckets(range.from, to, intervalMs) > atMost;
    const from = goesOn ? bucketStart(to - 1, intervalMs) - (atMost - 1) * intervalMs : range.from;
    const buckets = await telemetry.aggregate(
      { ...range, from, to, intervalMs, selection, progress },
      limitCharge(turn),
    );
    return { points: toPoints(buckets, aggregates), next: goesOn ? String(from) : null };
  });
}
