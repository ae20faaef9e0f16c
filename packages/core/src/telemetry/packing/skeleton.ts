import type { JsonObject, JsonValue } from "../../shared/json.js";

/** Placeholders for values in a skeleton. JSON text contains no control characters, so none is ambiguous. */
const placeholders = { number: "\u0001", boolean: "\u0002", string: "\u0003" } as const;

/** Limits of the names that are remembered as JSON text, because senders choose the names. */
const maxNames = 10_000;
const maxNameLength = 128;
const quotedNames = new Map<string, string>();

function quote(name: string): string {
  const known = quotedNames.get(name);
  if (known !== undefined) return known;
  const quoted = `${JSON.stringify(name)}:`;
  if (quotedNames.size < maxNames && name.length <= maxNameLength) quotedNames.set(name, quoted);
  return quoted;
}

function write(value: JsonValue): string {
  if (typeof value === "number") return Number.isFinite(value) ? placeholders.number : "null";
  if (typeof value === "boolean") return placeholders.boolean;
  if (typeof value === "string") return placeholders.string;
  if (value === null) return "null";
  if (Array.isArray(value)) return `[${(value as readonly JsonValue[]).map(write).join(",")}]`;
  const members = Object.entries(value as JsonObject);
  return `{${members.map(([name, member]) => quote(name) + write(member)).join(",")}}`;
}

/**
 * Returns a record's JSON text with placeholders for its numbers, booleans and strings. All records of one shape have
 * the same text. It recurses, so limit the depth first.
 *
 * @example
 * skeletonOf({ soc: 50 }) === skeletonOf({ soc: 51 }); // true
 */
export const skeletonOf = (record: JsonObject): string => write(record);

/** Returns a record with the skeleton and arbitrary values. */
export function fillSkeleton(skeleton: string): JsonObject {
  const text = skeleton
    .replaceAll(placeholders.number, "0")
    .replaceAll(placeholders.boolean, "true")
    .replaceAll(placeholders.string, '""');
  return JSON.parse(text) as JsonObject;
}
