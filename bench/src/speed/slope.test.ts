import { createSeededRandom } from "@device-gateway/testing";
import { expect, test } from "vitest";
import { meansOf, slopeOf } from "./slope.js";

/** A line with correlated noise: each value keeps most of the previous one. */
function noisyLine(bytes: Uint8Array, slope: number) {
  let noise = 0;
  return Array.from(bytes, (byte, x) => {
    noise = 0.9 * noise + byte - 127.5;
    return { x, y: slope * x + noise };
  });
}

/** Returns the share of 500 runs whose interval contains the true slope. */
function share(slope: number, stretch: number | null) {
  const random = createSeededRandom();
  const runs = Array.from({ length: 500 }, () => noisyLine(random.bytes(400), slope));
  const held = runs.filter((points) => {
    const { low, high } = slopeOf(stretch === null ? points : meansOf(points, stretch));
    return low <= slope && slope <= high;
  });
  return held.length / runs.length;
}

test("the interval of means contains the true slope in about 95 % of runs", () => {
  expect(share(0, 40)).toBeGreaterThan(0.9);
  expect(share(0.5, 40)).toBeGreaterThan(0.9);
  expect(share(0, 40)).toBeLessThan(0.99);
});

test("the interval of correlated single values does not", () => {
  expect(share(0, null)).toBeLessThan(0.7);
});

test("an incomplete stretch is left out", () => {
  const points = [0, 1, 2, 3, 4, 5, 6].map((x) => ({ x, y: 10 * x }));
  expect(meansOf(points, 2)).toEqual([
    { x: 0.5, y: 5 },
    { x: 2.5, y: 25 },
    { x: 4.5, y: 45 },
  ]);
  expect(meansOf(points, 7)).toEqual([]);
  expect(meansOf([], 1)).toEqual([]);
});
