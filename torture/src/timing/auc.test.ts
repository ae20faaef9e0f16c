import { expect, it } from "vitest";
import { createDice } from "../dice.js";
import { separationOf } from "./auc.js";

const dice = createDice(1);
const sample = (shift: number) => Array.from({ length: 2_000 }, () => dice.next() + shift);

it("does not separate two samples of one distribution", () => {
  const { auc, upper } = separationOf(sample(0), sample(0));
  expect(auc).toBeLessThan(0.52);
  expect(upper - auc).toBeCloseTo(1.645 * Math.sqrt(1 / (6 * 2_000)), 3);
});

it("detects a shift, whichever sample is slower", () => {
  // P(x + 0.1 > y) for uniform numbers is 1 - 0.9² / 2.
  for (const [a, b] of [
    [0, 0.1],
    [0.1, 0],
  ] as const) {
    expect(separationOf(sample(a), sample(b)).auc).toBeCloseTo(0.595, 1);
  }
});

it("counts equal numbers as half", () => {
  expect(separationOf([1, 1, 1], [1, 1, 1]).auc).toBe(0.5);
});
