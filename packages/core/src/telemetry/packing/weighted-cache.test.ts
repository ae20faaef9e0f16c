import { expect, it } from "vitest";
import { createWeightedCache } from "./weighted-cache.js";

it("removes the entries that were set first if it is full", () => {
  const cache = createWeightedCache<string, number>(11_000);
  for (let n = 0; n < 5; n++) cache.set(`key-${n}`, n, 3_000);
  const known = Array.from({ length: 5 }, (_, n) => cache.get(`key-${n}`));
  expect(known).toEqual([undefined, undefined, 2, 3, 4]);
});

it("counts an entry that is set again only once, as the newest", () => {
  const cache = createWeightedCache<string, number>(10_000);
  cache.set("a", 1, 3_000);
  cache.set("b", 2, 3_000);
  for (let n = 0; n < 10; n++) cache.set("a", n, 3_000);
  expect(cache.get("b")).toBe(2);
  cache.set("c", 3, 3_000);
  expect([cache.get("a"), cache.get("b"), cache.get("c")]).toEqual([9, undefined, 3]);
});

it("limits the number of weightless entries, and does not keep one that is too heavy", () => {
  const cache = createWeightedCache<number, number>(10_000);
  for (let n = 0; n < 1_000; n++) cache.set(n, n, 0);
  const kept = Array.from({ length: 1_000 }, (_, n) => cache.get(n)).filter((n) => n !== undefined);
  expect(kept.length).toBeLessThan(20);
  cache.set(5_000, 1, 10_000);
  expect(cache.get(5_000)).toBeUndefined();
  cache.clear();
  cache.set(1, 1, 9_000);
  expect(cache.get(1)).toBe(1);
});
