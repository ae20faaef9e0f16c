import type { JsonBody } from "./message.js";

const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * Parses a whole body as JSON in UTF-8. An empty body counts as absent.
 *
 * @example
 * parseJsonBody(new TextEncoder().encode('{"a":1}')); // { kind: "value", value: { a: 1 } }
 */
export function parseJsonBody(bytes: Uint8Array): JsonBody {
  if (bytes.length === 0) return { kind: "absent" };
  try {
    return { kind: "value", value: JSON.parse(decoder.decode(bytes)), length: bytes.length };
  } catch {
    return { kind: "malformed" };
  }
}
