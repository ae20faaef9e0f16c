export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: JsonValue;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Serialises a JSON value with the names of each object sorted by UTF-16 code unit, as in RFC 8785. Equal values have
 * equal text. It recurses, so the caller must limit the depth first.
 *
 * @example
 * canonicalJson({ b: 1, a: [2] }); // '{"a":[2],"b":1}'
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  let members = "";
  for (const name of Object.keys(value).sort()) {
    members += `${members && ","}${JSON.stringify(name)}:${canonicalJson(value[name])}`;
  }
  return `{${members}}`;
}

/**
 * Returns whether a JSON value has more than `depth` levels of arrays and objects. It visits no deeper level, so it is
 * safe for every value that JSON.parse returns.
 *
 * @example
 * isNestedDeeper([[1]], 1); // true
 * isNestedDeeper([[1]], 2); // false
 */
export function isNestedDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth === 0 || Object.values(value).some((member) => isNestedDeeper(member, depth - 1));
}
