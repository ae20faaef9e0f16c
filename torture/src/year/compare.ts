import { isDeepStrictEqual } from "node:util";
import type { JsonValue } from "@device-gateway/core/store";
import { inOrder, plainPoints, type SentRecord } from "./plain.js";
import type { HistoryReader } from "./reader.js";

const unitsMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const dayMs = unitsMs.d;
const everything = "avg,min,max,sum,count,first,last";

interface Chart {
  readonly from: number;
  readonly to: number;
  readonly interval: string;
  readonly limit: number;
  readonly metrics?: string;
  readonly aggregate?: string;
}

/** Charts of a year, its last month, a week and a day. Some ranges start or end within an hour. */
export function chartsOf(start: number, end: number): Chart[] {
  const year = { from: start, to: end };
  const month = { from: Math.max(start, end - 30 * dayMs), to: end };
  const week = { from: end - 12 * dayMs + 1_234_567, to: end - 5 * dayMs + 7 };
  const day = { from: end - dayMs, to: end };
  return [
    { ...year, interval: "auto", limit: 60 },
    { ...year, interval: "auto", limit: 5_000, aggregate: everything, metrics: "voltage,power" },
    { ...year, interval: "1d", limit: 100, aggregate: everything, metrics: "bms.exact,linkUp" },
    { ...year, interval: "7d", limit: 60, aggregate: "sum,count", metrics: "bms.*" },
    { ...month, interval: "1h", limit: 300, aggregate: everything, metrics: "current,bms.cells.*" },
    { ...month, interval: "6h", limit: 5_000, aggregate: "sum" },
    { ...month, interval: "90m", limit: 5_000, aggregate: "sum", metrics: "bms.exact" },
    { ...week, interval: "1h", limit: 5_000, aggregate: everything, metrics: "bms.*" },
    { ...week, interval: "5m", limit: 500, aggregate: "avg,first,last" },
    { ...week, interval: "raw", limit: 1_000, metrics: "bms.*,linkUp" },
    { ...day, interval: "auto", limit: 5_000, metrics: "voltage,uptime" },
    { ...day, interval: "auto", limit: 24, aggregate: everything },
  ];
}

function wantedOf(metrics: string | undefined): (name: string) => boolean {
  const parts = metrics?.split(",");
  return (name) =>
    parts === undefined
      ? !name.includes(".")
      : parts.some((part) =>
          part.endsWith("*") ? name.startsWith(part.slice(0, -1)) : name === part,
        );
}

function lengthOf(interval: string): number | null {
  if (interval === "raw") return null;
  return Number(interval.slice(0, -1)) * unitsMs[interval.slice(-1) as keyof typeof unitsMs];
}

/** Compares a chart with the plain computation. Returns the difference, or undefined. */
export async function compareChart(
  reader: HistoryReader,
  kept: readonly SentRecord[],
  chart: Chart,
): Promise<string | undefined> {
  const { from, to, interval, limit, metrics, aggregate = "avg" } = chart;
  const query = {
    ...{ from: String(from), to: String(to), interval, limit: String(limit), aggregate },
    ...(metrics !== undefined && { metrics }),
  };
  const answer = await reader.history(query);
  const name = JSON.stringify(query);
  if (interval !== "auto" && answer.interval !== interval)
    return `${name}: answered with the interval ${answer.interval}`;
  const ordered = inOrder(kept.filter(({ at }) => at >= from && at < to));
  const length = lengthOf(answer.interval);
  const aggregates = aggregate.split(",");
  const expected = plainPoints(ordered, length, wantedOf(metrics), aggregates);
  if (interval === "auto" && answer.points.length > limit)
    return `${name}: more points than the limit`;
  if (interval === "auto" && length === null && ordered.length > limit)
    return `${name}: raw although there are more records than the limit`;
  const { length: count } = expected;
  if (answer.points.length !== count) {
    return `${name}: ${answer.points.length} points instead of ${count}`;
  }
  const wrong = expected.findIndex((point, n) => !isDeepStrictEqual(point, answer.points[n]));
  if (wrong < 0) return undefined;
  const [actual, wanted] = [answer.points[wrong], expected[wrong]].map((it) => JSON.stringify(it));
  return `${name}: ${actual} instead of ${wanted}`;
}

const stamped = ({ at, value }: SentRecord) => ({
  ...value,
  timestamp: new Date(at).toISOString(),
});

export async function compareNdjson(
  reader: HistoryReader,
  kept: readonly SentRecord[],
  range: { from: number; to: number },
): Promise<string | undefined> {
  const ordered = inOrder(kept.filter(({ at }) => at >= range.from && at < range.to));
  const query = { format: "ndjson", from: String(range.from), to: String(range.to) };
  let n = 0;
  for await (const line of reader.exported(query)) {
    const record = ordered[n++];
    const expected = record === undefined ? "nothing" : JSON.stringify(stamped(record));
    if (line !== expected) return `NDJSON line ${n}: ${line} instead of ${expected}`;
  }
  return n === ordered.length ? undefined : `NDJSON: ${n} lines instead of ${ordered.length}`;
}

/** Returns texts, numbers and booleans by path. None of these values needs quotes in CSV. */
function leavesOf(value: JsonValue, name = ""): [string, string][] {
  if (value === null) return [];
  if (typeof value !== "object") return [[name, String(value)]];
  return Object.entries(value).flatMap(([key, member]) =>
    leavesOf(member as JsonValue, name === "" ? key : `${name}.${key}`),
  );
}

export async function compareCsv(
  reader: HistoryReader,
  kept: readonly SentRecord[],
  range: { from: number; to: number },
): Promise<string | undefined> {
  const ordered = inOrder(kept.filter(({ at }) => at >= range.from && at < range.to));
  const query = { format: "csv", from: String(range.from), to: String(range.to) };
  let columns: string[] | undefined;
  let n = 0;
  for await (const line of reader.exported(query)) {
    const fields = line.replace(/\r$/, "").split(",");
    if (columns === undefined) {
      columns = fields;
      continue;
    }
    const row = fields.flatMap((field, at) =>
      field === "" ? [] : [[columns?.[at] ?? "", field] as [string, string]],
    );
    const record = ordered[n++];
    const expected = record === undefined ? {} : Object.fromEntries(leavesOf(stamped(record)));
    if (!isDeepStrictEqual(Object.fromEntries(row), expected)) {
      return `CSV row ${n}: ${line} instead of ${JSON.stringify(expected)}`;
    }
  }
  return n === ordered.length ? undefined : `CSV: ${n} rows instead of ${ordered.length}`;
}
