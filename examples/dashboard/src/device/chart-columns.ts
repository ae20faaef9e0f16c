import type { Series } from "./to-series.js";

type Values = readonly (number | null)[];

/** Columns of a chart: its lines, and the band around them. Times are epoch seconds, ascending. A null value is a gap. */
export interface ChartColumns {
  readonly times: readonly number[];
  readonly lines: readonly Values[];
  readonly min: Values;
  readonly max: Values;
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
export function combine(all: readonly Series[]): ChartColumns {
  const times = [...new Set(all.flatMap((series) => series.times))].sort((a, b) => a - b);
  const place = new Map(times.map((time, i) => [time, i]));
  const align = ({ times: own }: Series, values: Values): Values => {
    const column: (number | null)[] = times.map(() => null);
    for (const [i, time] of own.entries()) column[place.get(time) ?? 0] = values[i] ?? null;
    return column;
  };
  return {
    times,
    lines: all.map((series) => align(series, series.avg)),
    min: extremeOf(
      all.map((series) => align(series, series.min)),
      Math.min,
    ),
    max: extremeOf(
      all.map((series) => align(series, series.max)),
      Math.max,
    ),
  };
}
