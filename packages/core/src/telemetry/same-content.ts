import { sha256 } from "@noble/hashes/sha2.js";
import { toBase64Url, toUtf8 } from "../shared/bytes.js";
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from "../shared/json.js";

/** Say which record it is; duplicates are told by them and by the rest (contract §4). */
const identifying = (name: string) => name === "timestamp" || name === "seq";
const isContent = (name: string) => !identifying(name);

/** JSON has no number for what is not finite, and writes null. */
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
 * Tells whether two records say the same but for their `timestamp` and `seq`, in whatever order:
 * what makes duplicates of two of one time and `seq` (contract §4). Recurses: bound the depth first.
 */
export function sameContent(a: JsonObject, b: JsonObject): boolean {
  const names = Object.keys(a).filter(isContent);
  return names.length === Object.keys(b).filter(isContent).length && sameMembers(a, b, names);
}

/** A digest (SHA-256, base64url) that two records share if, and only if, `sameContent` holds. */
export function digestContent({ timestamp: _, seq: __, ...content }: JsonObject): string {
  return toBase64Url(sha256(toUtf8(canonicalJson(content))));
}
