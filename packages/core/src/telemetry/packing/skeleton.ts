import type { JsonObject, JsonValue } from "../../shared/json.js";

/** Stand in a skeleton where a value stood; JSON text has no control characters of its own. */
const holes = { number: "\u0001", boolean: "\u0002", string: "\u0003" } as const;

/** Names that are remembered as JSON text. They are the sender's to choose, so there are bounds. */
const mostNames = 10_000;
const longestName = 128;
const quotedNames = new Map<string, string>();

function quote(name: string): string {
  const known = quotedNames.get(name);
  if (known !== undefined) return known;
  const quoted = `${JSON.stringify(name)}:`;
  if (quotedNames.size < mostNames && name.length <= longestName) quotedNames.set(name, quoted);
  return quoted;
}

function write(value: JsonValue): string {
  if (typeof value === "number") return Number.isFinite(value) ? holes.number : "null";
  if (typeof value === "boolean") return holes.boolean;
  if (typeof value === "string") return holes.string;
  if (value === null) return "null";
  if (Array.isArray(value)) return `[${(value as readonly JsonValue[]).map(write).join(",")}]`;
  const members = Object.entries(value as JsonObject);
  return `{${members.map(([name, member]) => quote(name) + write(member)).join(",")}}`;
}

/**
 * A record's JSON text with holes for its numbers, booleans and strings: all records of one shape
 * have the same. Recurses: bound the depth first.
 */
export const skeletonOf = (record: JsonObject): string => write(record);

/** A record with the skeleton, with any values in its holes. */
export function fillSkeleton(skeleton: string): JsonObject {
  const text = skeleton
    .replaceAll(holes.number, "0")
    .replaceAll(holes.boolean, "true")
    .replaceAll(holes.string, '""');
  return JSON.parse(text) as JsonObject;
}
