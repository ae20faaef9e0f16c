/** Escapes a field of a record as in the path of a metric. */
export const escapeName = (name: string) => name.replaceAll("\\", "\\\\").replaceAll(".", "\\.");

/** Returns a metric's name as the user reads it, without the escapes of the path. */
export const displayName = (metric: string) => metric.replaceAll(/\\(.)/g, "$1");

const toListPart = (name: string) =>
  name
    .replaceAll(",", "\\,")
    .replace(/\*$/, "\\*")
    .replaceAll(/^\s|\s$/g, "\\$&");

/** Returns the list of metrics for the history. A comma in a name, and a `*` or a space at its ends, need an escape. */
export const toMetricList = (names: readonly string[]) => names.map(toListPart).join();

/** Returns the names of a record's metrics. A name is the metric's path, as in the history (§4). */
export function metricNames(record: Readonly<Record<string, unknown>>): readonly string[] {
  const names: string[] = [];
  const visit = (value: unknown, path: string) => {
    if (typeof value === "number" || typeof value === "boolean") names.push(path);
    else if (typeof value === "object" && value !== null) {
      for (const [name, inner] of Object.entries(value)) {
        visit(inner, path === "" ? escapeName(name) : `${path}.${escapeName(name)}`);
      }
    }
  };
  const { timestamp: _at, seq: _seq, ota: _ota, ...data } = record;
  visit(data, "");
  return names;
}

/** Returns a metric's value in a record, or undefined if the record lacks it. Booleans are 0 and 1. */
export function metricValue(
  record: Readonly<Record<string, unknown>>,
  metric: string,
): number | undefined {
  let value: unknown = record;
  for (const part of metric.match(/(?:\\.|[^.\\])+/g) ?? []) {
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as Record<string, unknown>)[part.replaceAll(/\\(.)/g, "$1")];
  }
  if (typeof value === "boolean") return Number(value);
  return typeof value === "number" ? value : undefined;
}

/** Returns a metric's unit if the record has one beside it: `{ temperature: 71, unit: "°F" }`. */
export function metricUnit(
  record: Readonly<Record<string, unknown>>,
  metric: string,
): string | undefined {
  const parts = metric.match(/(?:\\.|[^.\\])+/g) ?? [];
  let holder: unknown = record;
  for (const part of parts.slice(0, -1)) {
    holder = (holder as Record<string, unknown> | undefined)?.[part.replaceAll(/\\(.)/g, "$1")];
  }
  if (typeof holder !== "object" || holder === null) return undefined;
  const { unit, timestamp: _at, seq: _seq, ...others } = holder as Record<string, unknown>;
  // With several metrics beside it, the unit is ambiguous.
  const metrics = Object.values(others).filter((value) => typeof value === "number");
  return typeof unit === "string" && metrics.length === 1 ? unit : undefined;
}
