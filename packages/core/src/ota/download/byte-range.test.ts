import fc from "fast-check";
import parseRange from "range-parser";
import { expect, test } from "vitest";
import { parseByteRange } from "./byte-range.js";

const part = (start: number, end: number) => ({ kind: "part", start, end });

test.each([
  [undefined, { kind: "all" }],
  ["", { kind: "all" }],
  ["bytes=0-", part(0, 10)],
  ["bytes=0-0", part(0, 1)],
  ["Bytes=3-5", part(3, 6)],
  ["bytes=3-99", part(3, 10)],
  ["bytes=9-", part(9, 10)],
  ["bytes=-4", part(6, 10)],
  ["bytes=-99", part(0, 10)],
  ["bytes=10-", { kind: "unsatisfiable" }],
  ["bytes=10-20", { kind: "unsatisfiable" }],
  ["bytes=-0", { kind: "unsatisfiable" }],
  [`bytes=${"9".repeat(400)}-`, { kind: "unsatisfiable" }],
  ["bytes=5-3", { kind: "all" }],
  ["bytes=0-1,4-5", { kind: "all" }],
  ["bytes=-", { kind: "all" }],
  ["bytes=a-b", { kind: "all" }],
  ["items=0-1", { kind: "all" }],
])("§6 of ten bytes, %s", (header, expected) => {
  expect(parseByteRange(header, 10)).toEqual(expected);
});

test("§6 a part is never empty and never exceeds the content", () => {
  const number = fc.oneof(fc.constant(""), fc.nat(2_000).map(String));
  fc.assert(
    fc.property(number, number, fc.integer({ min: 1, max: 1_000 }), (first, last, size) => {
      const range = parseByteRange(`bytes=${first}-${last}`, size);
      if (range.kind !== "part") return;
      expect(range.start).toBeGreaterThanOrEqual(0);
      expect(range.start).toBeLessThan(range.end);
      expect(range.end).toBeLessThanOrEqual(size);
    }),
  );
});

/** What range-parser, which Express uses, reads from a header. */
function readByOracle(header: string, size: number): unknown {
  const ranges = parseRange(size, header);
  if (ranges === -1) return { kind: "unsatisfiable" };
  const [range] = ranges === -2 ? [] : ranges;
  return range === undefined ? { kind: "all" } : part(range.start, range.end + 1);
}

test("§6 range-parser reads each range in the same way, except where it contradicts RFC 9110", () => {
  const position = fc.oneof(
    fc.constant(""),
    fc.nat(30).map(String),
    fc.constantFrom("x", "00", "1x"),
  );
  fc.assert(
    fc.property(position, position, fc.integer({ min: 1, max: 20 }), (first, last, size) => {
      // A last position before the first one makes a header invalid. A suffix can be longer than the content. range-parser
      // finds both unsatisfiable.
      const isInvalid = first !== "" && Number(last || first) < Number(first);
      const isLongSuffix = first === "" && Number(last) > size;
      fc.pre(!isInvalid && !isLongSuffix);
      const header = `bytes=${first}-${last}`;
      expect(parseByteRange(header, size), header).toEqual(readByOracle(header, size));
    }),
  );
});
