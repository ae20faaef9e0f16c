import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject } from "../shared/json.js";
import { skeletonOf } from "./packing/skeleton.js";
import { digestContent, longestSameContent, sameContent } from "./same-content.js";

const parse = (text: string) => JSON.parse(text) as JsonObject;
const name = () => fc.constantFrom("a", "b", "timestamp", "seq", "__proto__", "0");
const leaf = () => fc.constantFrom(0, -0, 1, "1", "", true, false, null, Number.NaN, 0.1);
const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    leaf(),
    fc.array(tie("value"), { maxLength: 2 }),
    fc.dictionary(name(), tie("value"), { maxKeys: 2 }),
  ),
})).value;
const record = () => fc.dictionary(name(), value, { maxKeys: 4 }) as fc.Arbitrary<JsonObject>;

/** Returns the same record with the names of every object in reverse order. */
function reversed(made: unknown): unknown {
  if (Array.isArray(made)) return made.map(reversed);
  if (typeof made !== "object" || made === null) return made;
  const members = Object.entries(made).reverse();
  return Object.fromEntries(members.map(([key, member]) => [key, reversed(member)]));
}

test("§4 two records have the same content if their digests are equal, whatever the order of names", () => {
  fc.assert(
    fc.property(record(), record(), (a, b) => {
      expect(sameContent(a, b)).toBe(digestContent(a) === digestContent(b));
      expect(sameContent(a, reversed(a) as JsonObject)).toBe(true);
      expect(sameContent(a, parse(JSON.stringify(a))), "as it is stored").toBe(true);
      const marked = { ...a, timestamp: 5, seq: 6 };
      expect(sameContent(a, marked)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test("no skeleton of a record with the same content is longer than the longest that it is compared with", () => {
  const marks = { timestamp: "2025-06-01T12:00:00.123456789+00:00", seq: 1 - 2 ** 53 };
  fc.assert(
    fc.property(record(), (sent) => {
      const stored = { ...sent, ...marks };
      for (const form of [stored, reversed(stored) as JsonObject]) {
        expect(skeletonOf(form).length).toBeLessThanOrEqual(longestSameContent(sent));
      }
    }),
    { numRuns: 500 },
  );
  const empty = { list: Array.from({ length: 3_000 }, () => null), record: {}, texts: [] };
  expect(skeletonOf(empty).length).toBeLessThanOrEqual(longestSameContent(empty));
  expect(skeletonOf(empty).length).toBeGreaterThan(longestSameContent({ a: 1 }));
});
