import { displayName } from "./metric-names.js";
import type { Series } from "./to-series.js";

/** The points of a chart as a table. Times are epoch seconds. */
export interface ShownTable {
  readonly times: readonly number[];
  readonly columns: readonly {
    readonly title: string;
    readonly values: readonly (number | null)[];
  }[];
}

/** Returns the columns of one metric: its values, or average, lowest and highest. */
export function seriesColumns({ times, avg, min, max }: Series, prefix = ""): ShownTable {
  const hasBand = avg.some((_, i) => min[i] !== max[i]);
  const title = (word: string) => (prefix === "" ? word : `${prefix} ${word.toLowerCase()}`);
  const columns = hasBand
    ? [
        { title: title("Average"), values: avg },
        { title: title("Lowest"), values: min },
        { title: title("Highest"), values: max },
      ]
    : [{ title: prefix === "" ? "Value" : prefix, values: avg }];
  return { times, columns };
}

/** Puts the tables of several metrics side by side. */
export function joinTables(
  all: readonly {
    readonly metric: string;
    readonly unit: string | undefined;
    readonly series: Series;
  }[],
): ShownTable {
  const times = [...new Set(all.flatMap(({ series }) => series.times))].sort((a, b) => a - b);
  const columns = all.flatMap(({ metric, unit, series }) => {
    const name = displayName(metric);
    const table = seriesColumns(series, unit === undefined ? name : `${name} (${unit})`);
    const place = new Map(series.times.map((time, i) => [time, i]));
    return table.columns.map(({ title, values }) => ({
      title,
      values: times.map((time) => values[place.get(time) ?? -1] ?? null),
    }));
  });
  return { times, columns };
}

/** Text that a spreadsheet would take as a formula begins with an apostrophe. */
const quote = (text: string) =>
  `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;

/** Writes a table as CSV (RFC 4180), with times in ISO 8601. Rows without any value are gaps and are left out. */
export function toCsv({ times, columns }: ShownTable): string {
  const head = ["time", ...columns.map(({ title }) => title)].map(quote).join();
  const rows = times.flatMap((time, i) => {
    const values = columns.map((column) => column.values[i] ?? null);
    if (values.every((value) => value === null)) return [];
    return [[new Date(time * 1000).toISOString(), ...values.map((value) => value ?? "")].join()];
  });
  return [head, ...rows, ""].join("\r\n");
}
