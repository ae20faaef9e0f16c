import { expect, test } from "vitest";
import { estimateWork, toTokens } from "./history-cost.js";

const dayMs = 86_400_000;
const now = 1_800_000_000_000;

/** Returns the largest charge of a chart over a number of days with a number of metrics. */
function costOf(days: number, intervalMs: number | null, limit: number, metrics: number): number {
  return toTokens(estimateWork({ intervalMs, limit, from: now - days * dayMs, to: now }), metrics);
}

test("§9 an ordinary chart costs only the request's own token, and one over a long range a few more", () => {
  // The supplied dashboard requests 300 points of up to ten metrics.
  expect(costOf(1 / 24, null, 300, 10)).toBe(0);
  expect(costOf(30, 3 * 3_600_000, 300, 10)).toBe(1);
  expect(costOf(7, 3_600_000, 300, 10)).toBe(0);
  expect(costOf(365, 2 * dayMs, 300, 3)).toBe(4);
  expect(costOf(365, 2 * dayMs, 300, 10)).toBe(12);
});

test("an hour is charged for all of its metrics, and those that are not selected cost less", () => {
  const costOfHours = (days: number, metrics: number, mostMetrics: number) =>
    toTokens({ kind: "hours", count: 24 * days, mostMetrics }, metrics);
  // A device that sends up to 30 metrics.
  expect(costOfHours(1, 30, 30)).toBe(0);
  expect(costOfHours(30, 3, 30)).toBe(0);
  expect(costOfHours(30, 10, 30)).toBe(1);
  expect(costOfHours(365, 1, 1_024)).toBe(182);
  expect(costOfHours(365, 1_024, 1_024)).toBe(1_078);
});

test("§9 the largest requests cost as much as their work", () => {
  expect(costOf(7, null, 5_000, 1)).toBe(5);
  expect(costOf(7, null, 5_000, 64)).toBe(24);
  expect(costOf(730, dayMs, 5_000, 64)).toBe(138);
  expect(costOf(90, 1_441 * 60_000, 5_000, 64)).toBe(242);
});

test("§9 samples outside the range or beyond the limit are not charged", () => {
  expect(costOf(730, 60_000, 60, 64)).toBe(1);
  expect(costOf(0.001, dayMs, 5_000, 64)).toBe(0);
});
