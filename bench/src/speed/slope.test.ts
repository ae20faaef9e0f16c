import { createSeededRandom } from "@device-gateway/testing";
import { expect, test } from "vitest";
import { meansOf, slopeOf } from "./slope.js";

/** Noise about a line, of which each value keeps most of the one before. */
function noisyLine(bytes: Uint8Array, slope: number) {
  let noise = 0;
  return Array.from(bytes, (byte, x) => {
    noise = 0.9 * noise + byte - 127.5;
    return { x, y: slope * x + noise };
  });
}

/** In how many of 500 runs the interval contains what is so. */
function share(slope: number, stretch: number | null) {
  const random = createSeededRandom();
  const runs = Array.from({ length: 500 }, () => noisyLine(random.bytes(400), slope));
  const held = runs.filter((points) => {
    const { low, high } = slopeOf(stretch === null ? points : meansOf(points, stretch));
    return low <= slope && slope <= high;
  });
  return held.length / runs.length;
}

test("the interval of means holds what is so in about 95 % of runs", () => {
  expect(share(0, 40)).toBeGreaterThan(0.9);
  expect(share(0.5, 40)).toBeGreaterThan(0.9);
  expect(share(0, 40)).toBeLessThan(0.99);
});

test("the interval of single values that depend on each other does not", () => {
  expect(share(0, null)).toBeLessThan(0.7);
});

test("what does not fill a stretch is left out", () => {
  const points = [0, 1, 2, 3, 4, 5, 6].map((x) => ({ x, y: 10 * x }));
  expect(meansOf(points, 2)).toEqual([
    { x: 0.5, y: 5 },
    { x: 2.5, y: 25 },
    { x: 4.5, y: 45 },
  ]);
  expect(meansOf(points, 7)).toEqual([]);
  expect(meansOf([], 1)).toEqual([]);
});
