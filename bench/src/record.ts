export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: JsonValue;
}

/** Returns a function that reads one metric of a parsed record by its path. */
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
