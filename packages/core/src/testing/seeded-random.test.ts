import { expect, it } from "vitest";
import { createSeededRandom } from "./seeded-random.js";

it("gives the same bytes for the same seed", () => {
  expect(createSeededRandom(7).bytes(64)).toEqual(createSeededRandom(7).bytes(64));
});

it("gives other bytes for another seed, and every time", () => {
  const random = createSeededRandom(7);
  const first = random.bytes(16);
  expect(random.bytes(16)).not.toEqual(first);
  expect(createSeededRandom(8).bytes(16)).not.toEqual(first);
});

it("spreads over all bytes", () => {
  expect(new Set(createSeededRandom().bytes(10_000)).size).toBe(256);
});
