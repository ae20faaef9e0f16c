import type { GatewayStore } from "@device-gateway/core/store";
import { dayMs, minuteMs } from "../fleet.js";
import { type JsonObject, metricFinder } from "../record.js";
import { historyValue, type SeededHistory } from "./seed/seed-history.js";

const metrics = ["voltage", "current", "bms.minCellVoltage"];
const maxBuckets = 300;

export interface Chart {
  readonly deviceId: string;
  /** Index of the device in the history, which determines its values. */
  readonly device: number;
  readonly from: number;
  readonly to: number;
}

export const longChart = ({ longDevice, longDays, end }: SeededHistory): Chart => ({
  deviceId: longDevice,
  device: 0,
  from: end - longDays * dayMs,
  to: end,
});

export const monthChart = ({ monthDevices, monthDays, end }: SeededHistory): Chart => ({
  deviceId: monthDevices[0] as string,
  device: 1,
  from: end - monthDays * dayMs,
  to: end,
});

export function pathOf({ deviceId, from, to }: Chart): string {
  const query = new URLSearchParams({
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    metrics: metrics.join(","),
    aggregate: "min,max",
    limit: String(maxBuckets),
  });
  return `/api/v1/dashboard/devices/${deviceId}/telemetry/history?${query}`;
}

type Extremes = Map<string, { min: number; max: number }>;

function createExtremes(intervalMs: number) {
  const extremes: Extremes = new Map();
  const finders = metrics.map((name) => ({ name, find: metricFinder(name) }));
  return {
    extremes,
    add(at: number, value: JsonObject): void {
      const start = Math.floor(at / intervalMs) * intervalMs;
      for (const { name, find } of finders) {
        const sample = find(value);
        if (sample === undefined) continue;
        const known = extremes.get(`${start} ${name}`) ?? { min: sample, max: sample };
        known.min = Math.min(known.min, sample);
        known.max = Math.max(known.max, sample);
        extremes.set(`${start} ${name}`, known);
      }
    },
  };
}

const lengths: Readonly<Record<string, number>> = { m: minuteMs, h: 60 * minuteMs, d: dayMs };

/** Compares every bucket of a response with a plain computation over what was sent. @throws {Error} */
export function checkChart(chart: Chart, answer: unknown): number {
  const { interval, points } = answer as {
    interval: string;
    points: readonly (Record<string, unknown> & { timestamp: string })[];
  };
  const intervalMs = Number.parseInt(interval, 10) * (lengths[interval.at(-1) ?? ""] ?? Number.NaN);
  const { extremes, add } = createExtremes(intervalMs);
  for (let at = chart.from; at < chart.to; at += minuteMs) {
    add(at, historyValue(chart.device, at));
  }
  let buckets = 0;
  for (const point of points) {
    for (const name of metrics) {
      if (point[name] === undefined) continue;
      const { min, max } = point[name] as { min: number; max: number };
      const wanted = extremes.get(`${Date.parse(point.timestamp)} ${name}`);
      if (wanted?.min !== min || wanted.max !== max) {
        throw new Error(
          `${chart.deviceId}, ${point.timestamp}, ${name}: ${min} to ${max} is not what was sent.`,
        );
      }
      buckets++;
    }
  }
  if (buckets !== extremes.size) throw new Error(`${extremes.size - buckets} buckets are missing.`);
  return points.length;
}

/** Computes the same chart from the raw rows, page by page, as if there were no roll-ups. */
export async function scanRows(
  store: GatewayStore,
  chart: Chart,
  intervalMs: number,
): Promise<number> {
  const { deviceId, from, to } = chart;
  const { add, extremes } = createExtremes(intervalMs);
  // Postgres must return a page within its time limit, from rows that lie far apart.
  const limit = 1_000;
  let after: { at: number; position: number } | null = null;
  for (;;) {
    const range = { deviceId, from, to, receivedFrom: 0 };
    const page: Awaited<ReturnType<GatewayStore["telemetry"]["samples"]>> =
      await store.telemetry.samples({ ...range, order: "oldest_first", after, limit });
    for (const { at, value } of page) add(at, value);
    if (page.length === 0) return extremes.size;
    after = page.at(-1) ?? null;
  }
}
