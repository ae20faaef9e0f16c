import * as chartsText from "../text/charts.js";
import type { MetricFormat } from "./metric-format.js";
import type { Series } from "./to-series.js";

interface ShownColumn {
  /** For people. */
  readonly title: string;
  /** For programs: the metric's name, the aggregate if there are several, and the unit. */
  readonly key: string;
  readonly decimals: number | undefined;
  readonly values: readonly (number | null)[];
}

/** The points of a chart as a table. Times are epoch seconds. */
export interface ShownTable {
  readonly times: readonly number[];
  readonly columns: readonly ShownColumn[];
}

interface Shown {
  readonly metric: string;
  readonly format: MetricFormat;
  readonly series: Series;
}

/** Returns the columns of one metric: its values, or average, lowest and highest. */
export function seriesColumns({ metric, format, series }: Shown): ShownTable {
  const { times, avg, min, max } = series;
  const { unit, decimals } = format;
  const toColumn = (title: string, aggregate: string, values: readonly (number | null)[]) => ({
    ...{ title, decimals, values },
    key: `${metric}${aggregate}${unit === undefined ? "" : ` [${unit}]`}`,
  });
  const hasBand = avg.some((_, i) => min[i] !== max[i]);
  const columns = hasBand
    ? [
        toColumn(chartsText.average, " avg", avg),
        toColumn(chartsText.lowest, " min", min),
        toColumn(chartsText.highest, " max", max),
      ]
    : [toColumn(chartsText.value, "", avg)];
  return { times, columns };
}

/** Puts the tables of several metrics side by side. */
export function joinTables(all: readonly Shown[]): ShownTable {
  const times = [...new Set(all.flatMap(({ series }) => series.times))].sort((a, b) => a - b);
  const columns = all.flatMap((shown) => {
    const { name, unit } = shown.format;
    const prefix = unit === undefined ? name : `${name} (${unit})`;
    const place = new Map(shown.series.times.map((time, i) => [time, i]));
    const own = seriesColumns(shown).columns;
    return own.map(({ title, values, ...rest }) => ({
      ...rest,
      title: own.length === 1 ? prefix : `${prefix} ${title.toLowerCase()}`,
      values: times.map((time) => values[place.get(time) ?? -1] ?? null),
    }));
  });
  return { times, columns };
}

/** Text that a spreadsheet would take as a formula begins with an apostrophe. */
const quote = (text: string) =>
  `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;

/** Writes rows as CSV (RFC 4180). Values of rows are numbers and times, which need no quotes. */
export const toCsvText = (
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string => [head.map(quote).join(), ...rows.map((row) => row.join()), ""].join("\r\n");

/** Writes a table as CSV (RFC 4180), with times in ISO 8601. Rows without any value are gaps and are left out. */
export function toCsv({ times, columns }: ShownTable): string {
  const rows = times.flatMap((time, i) => {
    const values = columns.map((column) => column.values[i] ?? null);
    if (values.every((value) => value === null)) return [];
    return [[new Date(time * 1000).toISOString(), ...values.map((value) => value ?? "")]];
  });
  return toCsvText(["time", ...columns.map(({ key }) => key)], rows);
}
