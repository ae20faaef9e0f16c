/** Aggregates of some metrics in buckets of one length, as a chart is made of. */
export interface Buckets {
  add(at: number, metric: number, value: number): void;
  /** Adds what was aggregated before, of records all in one bucket. */
  merge(at: number, metric: number, part: Aggregate): void;
  /** Buckets with a sample, ascending: the start, then an aggregate for each metric. */
  points(): readonly Point[];
}

export interface Aggregate {
  readonly min: number;
  readonly max: number;
  readonly sum: number;
  readonly count: number;
  readonly first: number;
  readonly last: number;
}

export interface Point {
  readonly start: number;
  readonly metrics: readonly (Aggregate | null)[];
}

interface Growing extends Record<keyof Aggregate, number> {}

/** Parts come ascending by time, as every layout reads them. */
export function createBuckets(bucketMs: number, metrics: number): Buckets {
  const points: { start: number; metrics: (Growing | null)[] }[] = [];
  const places = new Map<number, { start: number; metrics: (Growing | null)[] }>();
  let current: { start: number; metrics: (Growing | null)[] } | undefined;

  const pointAt = (at: number) => {
    if (current !== undefined && at >= current.start && at < current.start + bucketMs)
      return current;
    const start = at - (at % bucketMs);
    current = places.get(start);
    if (current === undefined) {
      current = { start, metrics: new Array<null>(metrics).fill(null) };
      places.set(start, current);
      points.push(current);
    }
    return current;
  };

  return {
    add(at, metric, value) {
      const point = pointAt(at);
      const one = point.metrics[metric];
      if (one === null || one === undefined) {
        point.metrics[metric] = {
          min: value,
          max: value,
          sum: value,
          count: 1,
          first: value,
          last: value,
        };
      } else {
        if (value < one.min) one.min = value;
        if (value > one.max) one.max = value;
        one.sum += value;
        one.count += 1;
        one.last = value;
      }
    },
    merge(at, metric, part) {
      const point = pointAt(at);
      const one = point.metrics[metric];
      if (one === null || one === undefined) point.metrics[metric] = { ...part };
      else {
        one.min = Math.min(one.min, part.min);
        one.max = Math.max(one.max, part.max);
        one.sum += part.sum;
        one.count += part.count;
        one.last = part.last;
      }
    },
    points: () => points.sort((a, b) => a.start - b.start),
  };
}
