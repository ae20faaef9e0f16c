import type { JsonObject, JsonValue } from "@device-gateway/core/store";
import { exactSum, toNearestDouble } from "@device-gateway/testing";

/** A record that the gateway reported as stored. */
export interface SentRecord {
  readonly at: number;
  readonly value: JsonObject;
  readonly metrics: readonly (readonly [name: string, value: number])[];
}

/** Sorts by time. Records of the same time stay in the order of arrival. */
export const inOrder = (kept: readonly SentRecord[]): SentRecord[] =>
  kept.toSorted((a, b) => a.at - b.at);

/** Returns numbers and booleans by metric name (§4). No name here contains a dot. */
export function metricsOf(value: JsonObject): [name: string, value: number][] {
  const walk = (name: string, member: JsonValue): [string, number][] => {
    if (typeof member === "number") return [[name, member]];
    if (typeof member === "boolean") return [[name, member ? 1 : 0]];
    if (typeof member !== "object" || member === null) return [];
    return Object.entries(member).flatMap(([key, inner]) => walk(`${name}.${key}`, inner));
  };
  return Object.entries(value)
    .filter(([key]) => key !== "timestamp" && key !== "seq" && key !== "ota")
    .flatMap(([key, member]) => walk(key, member));
}

/** Computes every aggregate from all values at once. The sum is rounded only once. */
function aggregatesOf(values: readonly number[]) {
  const sum = toNearestDouble(exactSum(values));
  return {
    avg: sum / values.length,
    min: values.reduce((a, b) => Math.min(a, b)),
    max: values.reduce((a, b) => Math.max(a, b)),
    sum,
    count: values.length,
    first: values[0],
    last: values.at(-1),
  };
}

/** Computes a chart's points: aggregates for each bucket, or each sample if `intervalMs` is null. */
export function plainPoints(
  ordered: readonly SentRecord[],
  intervalMs: number | null,
  isWanted: (name: string) => boolean,
  aggregates: readonly string[],
): { at: number; values: Record<string, unknown> }[] {
  const samples = ordered.map(({ at, metrics }) => ({
    at,
    metrics: metrics.filter(([name]) => isWanted(name)),
  }));
  if (intervalMs === null) {
    return samples
      .filter(({ metrics }) => metrics.length > 0)
      .map(({ at, metrics }) => ({ at, values: Object.fromEntries(metrics) }));
  }
  const buckets = new Map<number, Map<string, number[]>>();
  for (const { at, metrics } of samples) {
    const start = at - (at % intervalMs);
    const bucket = buckets.get(start) ?? new Map<string, number[]>();
    if (metrics.length > 0) buckets.set(start, bucket);
    for (const [name, value] of metrics) {
      const values = bucket.get(name);
      if (values === undefined) bucket.set(name, [value]);
      else values.push(value);
    }
  }
  return [...buckets].map(([at, bucket]) => ({
    at,
    values: Object.fromEntries(
      [...bucket].map(([name, values]) => {
        const all: Record<string, unknown> = aggregatesOf(values);
        const [only = ""] = aggregates;
        const asked = Object.fromEntries(aggregates.map((one) => [one, all[one]]));
        return [name, aggregates.length === 1 ? all[only] : asked];
      }),
    ),
  }));
}
