import type { Series } from "./to-series.js";

type Values = readonly (number | null)[];

/**
 * Columns of a chart: its lines, and the band around them. Times are epoch seconds, ascending. A null value is a gap. An
 * undefined value of a line is a time at which only another line has a point.
 */
export interface ChartColumns {
  readonly times: readonly number[];
  readonly lines: readonly (readonly (number | null | undefined)[])[];
  readonly min: Values;
  readonly max: Values;
}

/** Several metrics in one chart. */
export interface CombinedColumns extends ChartColumns {
  /** The value of each line at each time: that of its last point, or null in a gap. */
  readonly values: readonly Values[];
}

/** Returns the columns of one metric: the averages as a line, in a band from lowest to highest. */
export const toColumns = ({ times, avg, min, max }: Series): ChartColumns => ({
  ...{ times, min, max },
  lines: [avg],
});

/** Returns the extreme of the values at each time, without the gaps. Null if there are only gaps. */
const extremeOf = (columns: readonly Values[], pick: (a: number, b: number) => number) =>
  (columns[0] ?? []).map((_, i) =>
    columns.reduce<number | null>((found, column) => {
      const value = column[i] ?? null;
      if (value === null) return found;
      return found === null ? value : pick(found, value);
    }, null),
  );

/** Puts several metrics into one chart: a line for each, in a band from the lowest to the highest of all. */
export function combine(all: readonly Series[]): CombinedColumns {
  const times = [...new Set(all.flatMap((series) => series.times))].sort((a, b) => a - b);
  const place = new Map(times.map((time, i) => [time, i]));
  const align = ({ times: own }: Series, values: Values) => {
    const column: (number | null | undefined)[] = times.map(() => undefined);
    for (const [i, time] of own.entries()) column[place.get(time) ?? 0] = values[i] ?? null;
    return column;
  };
  const hold = (column: readonly (number | null | undefined)[]): Values => {
    let last: number | null = null;
    return column.map((value) => {
      if (value !== undefined) last = value;
      return last;
    });
  };
  const held = (name: "avg" | "min" | "max") =>
    all.map((series) => hold(align(series, series[name])));
  return {
    times,
    lines: all.map((series) => align(series, series.avg)),
    values: held("avg"),
    min: extremeOf(held("min"), Math.min),
    max: extremeOf(held("max"), Math.max),
  };
}
