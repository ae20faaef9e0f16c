import type { FieldError } from "../contract/index.js";
import { isJsonObject, isNestedDeeper, type JsonObject, type JsonValue } from "../shared/json.js";

/** The deepest nesting of a patch. */
const maxDepth = 32;

/** Returns what is wrong with a patch that functions which recurse must not get, such as `mergePatch` and `canonicalJson`. */
export function depthErrors(patch: unknown, path = ""): readonly FieldError[] {
  const message = `Nest it at most ${maxDepth} levels deep.`;
  return isNestedDeeper(patch, maxDepth) ? [{ path, code: "too_deep", message }] : [];
}

/** Applies a JSON merge patch to an object: null removes, objects merge, anything else replaces (RFC 7396). */
export function mergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  const merged = new Map<string, JsonValue>(Object.entries(target));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else if (!isJsonObject(value)) merged.set(name, value);
    else {
      const existing = merged.get(name);
      merged.set(name, mergePatch(isJsonObject(existing) ? existing : {}, value));
    }
  }
  return Object.fromEntries(merged);
}
