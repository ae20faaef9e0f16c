/** The bytes that a request asks for. */
export type ByteRange =
  | { readonly kind: "all" }
  /** From `start` (inclusive) to `end` (exclusive). */
  | { readonly kind: "part"; readonly start: number; readonly end: number }
  | { readonly kind: "unsatisfiable" };

/**
 * Parses a Range header for content of `size` bytes (RFC 9110, section 14). Several ranges, other units and invalid
 * headers are ignored, as the RFC allows.
 */
export function parseByteRange(header: string | undefined, size: number): ByteRange {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? "") ?? [];
  if (first === "" && last === "") return { kind: "all" };
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size : Math.min(size, Number(last) + 1);
  // A last byte before the first one makes the header invalid.
  if (first !== "" && last !== "" && Number(last) < start) return { kind: "all" };
  return start < end ? { kind: "part", start, end } : { kind: "unsatisfiable" };
}
