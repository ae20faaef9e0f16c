import type { JsonObject, JsonValue } from "@device-gateway/core/store";
import { toNearestDouble, exactSum } from "@device-gateway/testing";

/** A record that the gateway said it stored, in the order in which it did. */
export interface Kept {
  readonly at: number;
  readonly value: JsonObject;
  readonly metrics: readonly (readonly [name: string, value: number])[];
}

/** In the order of time; what arrived earlier comes first where it is the same. */
export const inOrder = (kept: readonly Kept[]): Kept[] => kept.toSorted((a, b) => a.at - b.at);

/** Numbers and booleans by name, as contract §4 names them: no name here has a dot of its own. */
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

/** Every aggregate, worked out from all values at once; the sum without any rounding but its own. */
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

/** What a chart has to show: aggregates for each bucket, or, without a length, each sample. */
export function plainPoints(
  ordered: readonly Kept[],
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
