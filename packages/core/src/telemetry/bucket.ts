import { bucketStart } from "./interval.js";

/**
 * Largest number of metrics in one bucket. The first ones count, and all others are left out. Without this limit, a
 * device that sends other names in each record would make buckets that do not fit into memory.
 */
export const mostMetrics = 1_024;

/** Aggregates of one metric over one bucket of time. They are exact, and can be merged in the order of time. */
export interface MetricBucket {
  /** Epoch milliseconds. */
  readonly start: number;
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** The double nearest to the true sum, in whichever order it was added up. */
  readonly sum: number;
  /** The true sum minus `sum`. If it is stored and added up too, sums of sums are exact. */
  readonly rest: number;
  readonly count: number;
  /** Value of the earliest sample. Of several with the same time, the one that arrived first. */
  readonly first: number;
  readonly last: number;
}

type MutableBucket = { -readonly [Field in keyof MetricBucket]: MetricBucket[Field] };

/** Aggregates samples, and buckets of a shorter interval, into buckets. Add them in the order of time. */
export interface BucketAggregator {
  /** Adds metrics of one record. Passing the same array of names for records with the same metrics is fast. */
  addSample(at: number, names: readonly string[], values: ArrayLike<number>): void;
  addBucket(bucket: MetricBucket): void;
  /** Returns the buckets, sorted by start, then in the order in which the metrics first appeared. */
  buckets(): MetricBucket[];
}

/** Returns the rounding error of a sum of two numbers (Knuth's TwoSum). */
function roundingError(rounded: number, a: number, b: number): number {
  const added = rounded - a;
  return a - (rounded - added) + (b - added);
}

/**
 * Adds a value to a sum in two parts. Nothing is lost, whatever the order, while the sum is less than 2^53 times the
 * smallest value. Beyond the largest double the sum stays infinite.
 */
function addExactly(bucket: MutableBucket, value: number): void {
  const total = bucket.sum + value;
  if (!Number.isFinite(total)) {
    if (Number.isFinite(bucket.sum)) bucket.sum = total;
    bucket.rest = 0;
    return;
  }
  const rest = bucket.rest + roundingError(total, bucket.sum, value);
  bucket.sum = total + rest;
  bucket.rest = roundingError(bucket.sum, total, rest);
}

/**
 * Creates an aggregator that sorts samples into buckets of `intervalMs` milliseconds.
 *
 * @example
 * const aggregator = createBucketAggregator(hourMs);
 */
export function createBucketAggregator(intervalMs: number): BucketAggregator {
  const byStart = new Map<number, Map<string, MutableBucket>>();
  /** The buckets of the previous sample. The next sample usually goes into the same ones. */
  let last: { start: number; names: readonly string[]; places: (MutableBucket | undefined)[] } = {
    start: Number.NaN,
    names: [],
    places: [],
  };

  function metricsFrom(start: number): Map<string, MutableBucket> {
    let metrics = byStart.get(start);
    if (metrics === undefined) {
      metrics = new Map();
      byStart.set(start, metrics);
    }
    return metrics;
  }

  function begin(start: number, name: string, value: number): MutableBucket | undefined {
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
