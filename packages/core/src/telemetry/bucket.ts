import { bucketStart } from "./interval.js";

/**
 * Metrics of one bucket of time; the first that come up count, others are left out. A device may send
 * other names in each record: without a bound its hours would not fit into memory.
 */
export const mostMetrics = 1_024;

/** What one metric did in one bucket of time. Exact, and mergeable in the order of time. */
export interface MetricBucket {
  /** Epoch milliseconds. */
  readonly start: number;
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** The double nearest to the true sum, whatever it was put together from. */
  readonly sum: number;
  /** What `sum` lacks of the true sum: kept and added up too, it makes sums of sums exact. */
  readonly rest: number;
  readonly count: number;
  /** Of the earliest sample; of several at one time, of the one that arrived first. */
  readonly first: number;
  readonly last: number;
}

type Growing = { -readonly [Field in keyof MetricBucket]: MetricBucket[Field] };

/** Folds samples, and buckets of a shorter interval, into buckets. Feed it in the order of time. */
export interface BucketFolder {
  /**
   * Adds what a record had of the wanted metrics. Pass the same array of names for records with
   * the same metrics: that is fast.
   */
  addSample(at: number, names: readonly string[], values: ArrayLike<number>): void;
  addBucket(bucket: MetricBucket): void;
  /** By start, then by the order in which the metrics came up. */
  buckets(): MetricBucket[];
}

/** What the rounded sum of two numbers lacks (Knuth's TwoSum). */
function lostBy(rounded: number, a: number, b: number): number {
  const added = rounded - a;
  return a - (rounded - added) + (b - added);
}

/**
 * Adds to a sum in two parts. Nothing is lost, and so the order doesn't matter, as long as the sum
 * is less than 2^53 times the smallest of what is added. Beyond the largest double it stays infinite.
 */
function addExactly(bucket: Growing, value: number): void {
  const total = bucket.sum + value;
  if (!Number.isFinite(total)) {
    if (Number.isFinite(bucket.sum)) bucket.sum = total;
    bucket.rest = 0;
    return;
  }
  const rest = bucket.rest + lostBy(total, bucket.sum, value);
  bucket.sum = total + rest;
  bucket.rest = lostBy(bucket.sum, total, rest);
}

export function createBucketFolder(intervalMs: number): BucketFolder {
  const byStart = new Map<number, Map<string, Growing>>();
  /** Where the last sample went: the next one mostly goes there too. */
  let last: { start: number; names: readonly string[]; places: (Growing | undefined)[] } = {
    start: Number.NaN,
    names: [],
    places: [],
  };

  function metricsFrom(start: number): Map<string, Growing> {
    let metrics = byStart.get(start);
    if (metrics === undefined) {
      metrics = new Map();
      byStart.set(start, metrics);
    }
    return metrics;
  }

  function begin(start: number, name: string, value: number): Growing | undefined {
    const metrics = metricsFrom(start);
    const known = metrics.get(name);
    if (known !== undefined || metrics.size === mostMetrics) return known;
    const [min, max, first, end] = [value, value, value, value];
    const bucket = { start, name, min, max, sum: 0, rest: 0, count: 0, first, last: end };
    metrics.set(name, bucket);
    return bucket;
  }

  return {
    addSample(at, names, values) {
      const start = bucketStart(at, intervalMs);
      if (last.start !== start || last.names !== names) last = { start, names, places: [] };
      const { places } = last;
      for (let n = 0; n < names.length; n++) {
        const value = values[n] as number;
        let bucket = places[n];
        if (bucket === undefined) {
          bucket = begin(start, names[n] as string, value);
          if (bucket === undefined) continue;
          places[n] = bucket;
        }
        if (value < bucket.min) bucket.min = value;
        if (value > bucket.max) bucket.max = value;
        addExactly(bucket, value);
        bucket.count += 1;
        bucket.last = value;
      }
    },
    addBucket(part) {
      const start = bucketStart(part.start, intervalMs);
      const bucket = begin(start, part.name, part.first);
      if (bucket === undefined) return;
      if (part.min < bucket.min) bucket.min = part.min;
      if (part.max > bucket.max) bucket.max = part.max;
      addExactly(bucket, part.sum);
      addExactly(bucket, part.rest);
      bucket.count += part.count;
      bucket.last = part.last;
    },
    buckets: () =>
      [...byStart.keys()]
        .sort((a, b) => a - b)
        .flatMap((start) => [...(byStart.get(start)?.values() ?? [])]),
  };
}
