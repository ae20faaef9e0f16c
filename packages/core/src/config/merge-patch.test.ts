import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject } from "../shared/json.js";
import { mergePatch } from "./merge-patch.js";

const patches = fc.dictionary(
  fc.string(),
  fc.jsonValue({ maxDepth: 3 }),
) as fc.Arbitrary<JsonObject>;

test("the examples of RFC 7396, appendix A, that patch objects give the documented results", () => {
  const examples = [
    [{ a: "b" }, { a: "c" }, { a: "c" }],
    [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
    [{ a: "b" }, { a: null }, {}],
    [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
    [{ a: ["b"] }, { a: "c" }, { a: "c" }],
    [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
    [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
    [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ] as const;
  for (const [target, patch, result] of examples) expect(mergePatch(target, patch)).toEqual(result);
});

test("a patch that is applied twice has the effect of one, and changes neither argument", () => {
  fc.assert(
    fc.property(patches, patches, (target, patch) => {
      const before = JSON.stringify([target, patch]);
      const once = mergePatch(target, patch);
      expect(mergePatch(once, patch)).toEqual(once);
      expect(JSON.stringify([target, patch])).toBe(before);
    }),
  );
});

test("__proto__ is a name like any other", () => {
  const patch = JSON.parse('{"__proto__":{"polluted":true}}');
  const merged = mergePatch({ a: 1 }, patch);
  expect(JSON.stringify(merged)).toBe('{"a":1,"__proto__":{"polluted":true}}');
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});
