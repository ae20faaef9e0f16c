import { isJsonObject, type JsonObject, type JsonValue } from "../shared/json.js";

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
