import type { JsonObject } from "../shared/json.js";
import type { Metric } from "./metric.js";

/** Top-level fields that are not metrics. */
const reserved = new Set(["timestamp", "seq", "ota"]);

export const isReserved = (name: string): boolean => reserved.has(name);

/** Escapes dots and backslashes inside a name, so that no two paths have the same name. */
export const escapeName = (name: string): string =>
  name.includes(".") || name.includes("\\") ? name.replaceAll(/[.\\]/g, "\\$&") : name;

/**
 * Calls back with each finite number and boolean (as 0 or 1) of a record, in the order of the record. `name` is the
 * path of the metric, such as `cellVoltages.0.voltage`, or null if the value is not a metric (§4).
 */
export function walkMetrics(
  record: JsonObject,
  found: (name: string | null, value: number) => void,
): void {
  const walk = (value: unknown, name: string | null) => {
    if (typeof value === "number") {
      if (Number.isFinite(value)) found(name, value);
    } else if (typeof value === "boolean") {
      found(name, value ? 1 : 0);
    } else if (typeof value === "object" && value !== null) {
      for (const [key, member] of Object.entries(value)) {
        walk(member, name === null ? null : `${name}.${escapeName(key)}`);
      }
    }
  };
  for (const [key, member] of Object.entries(record)) {
    walk(member, isReserved(key) ? null : escapeName(key));
  }
}

/**
 * Returns the metrics of a record, in the order of the record (§4).
 *
 * @example
 * flattenRecord({ bms: { voltage: 3.2 }, ok: true }); // bms.voltage is 3.2, ok is 1
 */
export function flattenRecord(record: JsonObject): Metric[] {
  const metrics: Metric[] = [];
  walkMetrics(record, (name, value) => {
    if (name !== null) metrics.push({ name, value });
  });
  return metrics;
}
