import type { JsonObject } from "../shared/json.js";
import type { Metric } from "./metric.js";

/** Say when and what, but are no measurements. */
const reserved = new Set(["timestamp", "seq", "ota"]);

export const isReserved = (name: string): boolean => reserved.has(name);

/** Dots and backslashes inside a name are escaped, so that no two paths share a name. */
export const escapeName = (name: string): string =>
  name.includes(".") || name.includes("\\") ? name.replaceAll(/[.\\]/g, "\\$&") : name;

/**
 * Calls back with every finite number and boolean (as 0 or 1) of a record, in its order, and with
 * the name of the metric that it is: its path, such as `cellVoltages.0.voltage`; null for those
 * that are none (contract §4).
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

/** Lists the metrics of a record, in its order (contract §4). */
export function flattenRecord(record: JsonObject): Metric[] {
  const metrics: Metric[] = [];
  walkMetrics(record, (name, value) => {
    if (name !== null) metrics.push({ name, value });
  });
  return metrics;
}
