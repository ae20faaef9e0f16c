export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: JsonValue;
}

export interface Metric {
  readonly name: string;
  readonly value: number;
}

const reserved = new Set(["timestamp", "seq", "ota"]);

const escapeName = (name: string) =>
  /[.\\]/.test(name) ? name.replaceAll(/[.\\]/g, "\\$&") : name;

/** The core's rule of what a metric is (contract §4), without its bounds. */
export function flattenRecord(record: JsonObject): readonly Metric[] {
  const metrics: Metric[] = [];
  const walk = (value: JsonValue, name: string): void => {
    if (typeof value === "number") metrics.push({ name, value });
    else if (typeof value === "boolean") metrics.push({ name, value: value ? 1 : 0 });
    else if (typeof value === "object" && value !== null) {
      for (const [key, member] of Object.entries(value))
        walk(member as JsonValue, `${name}.${escapeName(key)}`);
    }
  };
  for (const [key, member] of Object.entries(record)) {
    if (!reserved.has(key)) walk(member, escapeName(key));
  }
  return metrics;
}

/** Finds one metric of a parsed record by its path, without walking the rest. */
export function metricFinder(name: string): (record: JsonObject) => number | undefined {
  const path = name.split(".");
  return (record) => {
    let value: JsonValue | undefined = record;
    for (const step of path) {
      if (typeof value !== "object" || value === null) return undefined;
      value = (value as JsonObject)[step];
    }
    if (typeof value === "boolean") return value ? 1 : 0;
    return typeof value === "number" ? value : undefined;
  };
}
