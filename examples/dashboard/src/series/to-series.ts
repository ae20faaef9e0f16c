import type { HistoryAnswer } from "@device-gateway/core/contract";

/** Columns for a chart: times in epoch seconds, ascending. A null value is a gap. */
export interface Series {
  readonly times: readonly number[];
  readonly avg: readonly (number | null)[];
  readonly min: readonly (number | null)[];
  readonly max: readonly (number | null)[];
}

interface Sample {
  readonly at: number;
  readonly avg: number;
  readonly min: number;
  readonly max: number;
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Returns the length of a history's buckets in seconds, or null for raw samples. */
export function bucketSeconds(interval: string): number | null {
  const [, count = "", unit = ""] = /^(\d+)([smhd])$/.exec(interval) ?? [];
  return count === "" ? null : Number(count) * (unitSeconds[unit] ?? 1);
}

function toSample(timestamp: string, value: unknown): Sample[] {
  const at = Date.parse(timestamp) / 1000;
  if (typeof value === "number") return [{ at, avg: value, min: value, max: value }];
  if (typeof value !== "object" || value === null) return [];
  const { avg, min, max } = value as Partial<Sample>;
  if (avg === undefined || min === undefined || max === undefined) return [];
  return [{ at, avg, min, max }];
}

/** Returns the median distance of ascending times in seconds, the lower one of two. A few gaps hardly change it. */
export function medianStep(times: readonly number[]): number {
  const steps = times.slice(1).map((time, i) => time - (times[i] ?? time));
  return steps.sort((a, b) => a - b)[Math.floor((steps.length - 1) / 2)] ?? 0;
}

/**
 * Returns one metric of a history as columns. If more than 2.5 steps pass without a sample, it
 * inserts a null, so that the chart shows a gap. A metric that is not in every record has a longer step of its own.
 */
export function toSeries(
  { points, interval }: Pick<HistoryAnswer, "points" | "interval">,
  metric: string,
  expectedSeconds: number,
): Series {
  const samples = points.flatMap((point) => toSample(point.timestamp, point[metric]));
  const typical = medianStep(samples.map(({ at }) => at));
  const step = Math.max(bucketSeconds(interval) ?? expectedSeconds, typical);
  const filled: { at: number; sample: Sample | null }[] = [];
  for (const [i, sample] of samples.entries()) {
    const before = samples[i - 1];
    if (before !== undefined && sample.at - before.at > 2.5 * step) {
      filled.push({ at: before.at + step, sample: null });
    }
    filled.push({ at: sample.at, sample });
  }
  const column = (name: "avg" | "min" | "max") =>
    filled.map(({ sample }) => (sample === null ? null : sample[name]));
  return {
    times: filled.map(({ at }) => at),
    avg: column("avg"),
    min: column("min"),
    max: column("max"),
  };
}

export interface LiveReading {
  /** Epoch seconds. */
  readonly at: number;
  readonly value: number;
}

/** Returns the series with live readings appended. Readings not later than its end are left out. */
export function withReadings(series: Series, readings: readonly LiveReading[]): Series {
  let end = series.times.at(-1) ?? 0;
  const fresh = readings.filter(({ at }) => {
    if (at <= end) return false;
    end = at;
    return true;
  });
  if (fresh.length === 0) return series;
  const values = fresh.map(({ value }) => value);
  return {
    times: [...series.times, ...fresh.map(({ at }) => at)],
    avg: [...series.avg, ...values],
    min: [...series.min, ...values],
    max: [...series.max, ...values],
  };
}
