/** Which bytes of something a request asks for. */
export type ByteRange =
  | { readonly kind: "all" }
  /** From `start` up to, not including, `end`. */
  | { readonly kind: "part"; readonly start: number; readonly end: number }
  | { readonly kind: "unsatisfiable" };

/**
 * Reads a Range header for something of `size` bytes (RFC 9110, section 14). Several ranges, other
 * units and what is none are ignored, as it allows.
 */
export function parseByteRange(header: string | undefined, size: number): ByteRange {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? "") ?? [];
  if (first === "" && last === "") return { kind: "all" };
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size : Math.min(size, Number(last) + 1);
  // A last byte before the first is no range at all.
  if (first !== "" && last !== "" && Number(last) < start) return { kind: "all" };
  return start < end ? { kind: "part", start, end } : { kind: "unsatisfiable" };
}
