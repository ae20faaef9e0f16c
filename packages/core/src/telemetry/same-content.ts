import { type Digest, portableDigest } from "../ports/digest.js";
import { toUtf8 } from "../shared/bytes.js";
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from "../shared/json.js";

/** A store compares a new record with this many records of its instant. For further ones, it compares digests. */
export const comparedRecords = 8;

/** These fields identify a record. Duplicates have equal ones and equal content (§4). */
const isIdentifying = (name: string) => name === "timestamp" || name === "seq";
const isContent = (name: string) => !isIdentifying(name);

/** JSON has no numbers that are not finite, and writes null for them. */
const isNull = (value: JsonValue) =>
  value === null || (typeof value === "number" && !Number.isFinite(value));

function sameMembers(a: JsonObject, b: JsonObject, names: readonly string[]): boolean {
  return names.every(
    (name) => Object.hasOwn(b, name) && sameValue(a[name] as JsonValue, b[name] as JsonValue),
  );
}

function sameValue(a: JsonValue, b: JsonValue): boolean {
  if (a === b) return true;
  if (isNull(a)) return isNull(b);
  if (Array.isArray(a)) {
    return (
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((member, n) => sameValue(member as JsonValue, b[n] as JsonValue))
    );
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && sameMembers(a, b, names);
}

/**
 * Returns whether two records are equal except for `timestamp` and `seq`, in any order of names. Two records with the
 * same time and `seq` are duplicates if this holds (§4). It recurses, so limit the depth first.
 *
 * @example
 * sameContent({ soc: 50, seq: 1 }, { seq: 2, soc: 50 }); // true
 */
export function sameContent(a: JsonObject, b: JsonObject): boolean {
  const names = Object.keys(a).filter(isContent);
  return names.length === Object.keys(b).filter(isContent).length && sameMembers(a, b, names);
}

/**
 * Returns a digest (SHA-256, base64url) that is equal for two records if, and only if, `sameContent` holds.
 *
 * @example
 * digestContent({ soc: 50, seq: 1 }) === digestContent({ seq: 2, soc: 50 }); // true
 */
export function digestContent(
  { timestamp: _, seq: __, ...content }: JsonObject,
  digest: Digest = portableDigest,
): string {
  return digest(canonicalJson(content));
}

/**
 * Returns the length of a record as JSON text, in bytes.
 *
 * @example
 * const isTooLong = countBytes(record.value) > longestSameContent(other.value);
 */
export const countBytes = (value: JsonObject): number => toUtf8(JSON.stringify(value)).length;

/**
 * Returns the most bytes that a stored record with the same content can have. As text, it has the same length in any order
 * of names. Packed, a string is not longer than in the text, and a number is at most twice as long: one digit takes up to
 * two bytes, and a number of nine bytes has at least five characters. The constant is for other forms of `timestamp` and
 * `seq`. The skeleton of such a record is not longer either, because it is the text with shorter values.
 *
 * @example
 * const mayBeSame = row.content.length <= longestSameContent(record.value);
 */
export const longestSameContent = (value: JsonObject): number => 2 * countBytes(value) + 256;
