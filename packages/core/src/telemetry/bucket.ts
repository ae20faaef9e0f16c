import { bucketStart } from "./interval.js";
import type { Metric } from "./metric.js";

/** What one metric did in one bucket of time. Exact, and mergeable in the order of time. */
export interface MetricBucket {
  /** Epoch milliseconds. */
  readonly start: number;
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly sum: number;
  readonly count: number;
  /** Of the earliest sample; of several at one time, of the one that arrived first. */
  readonly first: number;
  readonly last: number;
}

type Growing = { -readonly [Field in keyof MetricBucket]: MetricBucket[Field] };

/** Folds samples, and buckets of a shorter interval, into buckets. Feed it in the order of time. */
export interface BucketFolder {
  addSample(at: number, metrics: readonly Metric[]): void;
  addBucket(bucket: MetricBucket): void;
  /** By start, then by the order in which the metrics came up. */
  buckets(): MetricBucket[];
}

export function createBucketFolder(
  intervalMs: number,
  isWanted: (name: string) => boolean,
): BucketFolder {
  const byStart = new Map<number, Map<string, Growing>>();

  function add(bucket: MetricBucket): void {
    const start = bucketStart(bucket.start, intervalMs);
    const metrics = byStart.get(start) ?? new Map<string, Growing>();
    byStart.set(start, metrics);
    const known = metrics.get(bucket.name);
    if (known === undefined) {
      metrics.set(bucket.name, { ...bucket, start });
      return;
    }
    known.min = Math.min(known.min, bucket.min);
    known.max = Math.max(known.max, bucket.max);
    known.sum += bucket.sum;
    known.count += bucket.count;
    known.last = bucket.last;
  }

  return {
    addSample(at, metrics) {
      for (const { name, value } of metrics) {
        if (!isWanted(name)) continue;
        const [min, max, sum, first, last] = [value, value, value, value, value];
        add({ start: at, name, min, max, sum, count: 1, first, last });
      }
    },
    addBucket(bucket) {
      if (isWanted(bucket.name)) add(bucket);
    },
    buckets: () =>
      [...byStart.keys()]
        .sort((a, b) => a - b)
        .flatMap((start) => [...(byStart.get(start)?.values() ?? [])]),
  };
}
