import fc from "fast-check";
import { expect, test } from "vitest";
import { createBoundedCache } from "./bounded-cache.js";

const key = fc.constantFrom(..."abcdefgh");
const step = fc.oneof(
  fc.record({ kind: fc.constant("set" as const), key, value: fc.nat() }),
  fc.record({ kind: fc.constant("delete" as const), key, value: fc.constant(0) }),
  fc.record({ kind: fc.constant("clear" as const), key, value: fc.constant(0) }),
);
const randomNumbers = fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true }));

test("never holds more than its capacity, and returns only the value that was set last", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), randomNumbers, (steps, draws) => {
      const cache = createBoundedCache<number>(4, () => draws.next().value as number);
      const model = new Map<string, number>();
      for (const { kind, key, value } of steps) {
        if (kind === "set") {
          cache.set(key, value);
          model.set(key, value);
        } else if (kind === "delete") {
          cache.delete(key);
          model.delete(key);
        } else {
          cache.clear();
          model.clear();
        }
        const held = [..."abcdefgh"].filter((name) => cache.get(name) !== undefined);
        expect(held.length).toBeLessThanOrEqual(4);
        for (const name of held) expect(cache.get(name)).toBe(model.get(name));
      }
    }),
  );
});

test("keeps every value until it is full", () => {
  const cache = createBoundedCache<number>(100);
  for (let i = 0; i < 100; i++) cache.set(`k${i}`, i);
  for (let i = 0; i < 100; i++) expect(cache.get(`k${i}`)).toBe(i);
});

test("with twice as many keys as places, requested in turn, more than a third of the lookups hit", () => {
  let state = 1;
  const draw = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const cache = createBoundedCache<number>(500, draw);
  let hits = 0;
  for (let round = 0; round < 60; round++) {
    for (let i = 0; i < 1_000; i++) {
      if (cache.get(`k${i}`) === undefined) cache.set(`k${i}`, i);
      else if (round >= 20) hits += 1;
    }
  }
  expect(hits / 40_000).toBeGreaterThan(1 / 3);
});
