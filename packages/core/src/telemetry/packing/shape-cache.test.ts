import { expect, it } from "vitest";
import { shapeBounds } from "./shape-bounds.js";
import { createShapeCache } from "./shape-cache.js";
import { skeletonOf } from "./skeleton.js";

/** Returns a record whose skeleton is nearly as long as a stored one may be. */
const large = (n: number) => ({ [`name-${n}`]: Array.from({ length: 8_000 }, () => "") });

it("forgets shapes if many senders use different ones, so that its memory is limited", () => {
  const cache = createShapeCache();
  const senders = Math.ceil(shapeBounds.inMemory / 16_000) + shapeBounds.guesses + 1;
  for (let n = 0; n < senders; n++) {
    cache.add(n, skeletonOf(large(n)));
    expect(cache.pack(`sender-${n}`, large(n))?.shape).toBe(n);
  }
  expect(cache.find(0)).toBeUndefined();
  expect(cache.pack("sender-0", large(0)), "nor does its sender hold it").toBeUndefined();
  expect(cache.pack(`sender-${senders - 1}`, large(senders - 1))?.shape).toBe(senders - 1);
  cache.add(0, skeletonOf(large(0)));
  expect(cache.pack("sender-0", large(0))?.shape).toBe(0);
});

it("packs a record with the last shape of its sender, or with a recent shape of others", () => {
  const cache = createShapeCache();
  cache.add(1, skeletonOf({ a: 1 }));
  expect(cache.pack("gw-1", { a: 5 })?.shape).toBe(1);
  for (let n = 2; n < 30; n++) cache.add(n, skeletonOf({ [`b${n}`]: 1 }));
  expect(cache.pack("gw-1", { a: 6 })?.shape, "its own").toBe(1);
  cache.add(30, skeletonOf({ a: 1 }), "gw-1");
  expect(
    cache.pack("gw-1", { a: 7 })?.shape,
    "the latest number that the store gave the shape",
  ).toBe(30);
  cache.clear();
  expect(cache.pack("gw-1", { a: 8 })).toBeUndefined();
});
