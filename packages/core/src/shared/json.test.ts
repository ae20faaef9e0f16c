import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson, isJsonObject } from "./json.js";

function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, shuffled(member)]),
  );
}

test("equal values have equal text, whatever the order of names, and the text parses to the same value", () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      const parsed: unknown = JSON.parse(JSON.stringify(value));
      expect(canonicalJson(shuffled(parsed))).toBe(canonicalJson(parsed));
      expect(JSON.parse(canonicalJson(parsed))).toEqual(parsed);
    }),
  );
});
