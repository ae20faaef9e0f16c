import { createSeededNumbers } from "@device-gateway/testing";
import { expect, test } from "vitest";
import { failsTooOften } from "./judge-rollout.js";

const tally = (succeeded: number, failed: number) => ({ round: 1, succeeded, failed });

const drawn = createSeededNumbers(13);

/** Returns how many devices' updates ended before a rollout halted, or null if it completed. */
function rollOut(failureShare: number, devices: number): number | null {
  let [succeeded, failed] = [0, 0];
  for (let n = 1; n <= devices; n++) {
    if (drawn() < failureShare) failed += 1;
    else succeeded += 1;
    if (failsTooOften(tally(succeeded, failed), 0.02)) return n;
  }
  return null;
}
const rollOuts = (share: number, times: number) =>
  Array.from({ length: times }, () => rollOut(share, 10_000));

test("§6 a few failures do not halt a rollout, but five in a row do", () => {
  expect(failsTooOften(tally(0, 4), 0.02)).toBe(false);
  expect(failsTooOften(tally(0, 5), 0.02)).toBe(true);
  expect(failsTooOften(tally(95, 5), 0.02)).toBe(false);
  expect(failsTooOften(tally(92, 8), 0.02)).toBe(true);
});

test("§6 a release that fails as often as is tolerated completes in 99 of 100 rollouts", () => {
  const halted = rollOuts(0.02, 200).filter((at) => at !== null);
  expect(halted.length).toBeLessThanOrEqual(5);
  expect(rollOuts(0.01, 200).filter((at) => at !== null).length).toBeLessThanOrEqual(2);
});

test("§6 a release that fails on 5 % of 10,000 devices always halts, mostly within 500", () => {
  const halts = rollOuts(0.05, 200).map((at) => at ?? Number.POSITIVE_INFINITY);
  expect(Math.max(...halts)).toBeLessThan(10_000);
  const median = halts.sort((a, b) => a - b)[100];
  expect(median).toBeGreaterThan(50);
  expect(median).toBeLessThan(500);
});
