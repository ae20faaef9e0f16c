import { expect, it } from "vitest";
import { claimAllowance, describeExcess, reachOf, type WrongAttempt } from "./attempt-log.js";

const minute = 60_000;
const tries = (
  count: number,
  everyMs: number,
  change: (n: number) => Partial<WrongAttempt> = () => ({}),
) =>
  Array.from({ length: count }, (_, n) => ({
    at: n * everyMs,
    who: "a",
    deviceId: "d",
    ...change(n),
  }));

it("counts attempts in a sliding window, not in a window that starts on the hour", () => {
  expect(reachOf(tries(6, 3 * minute), claimAllowance).pair).toBe(5);
  expect(reachOf(tries(6, 3 * minute - 1), claimAllowance).pair).toBe(6);
});

it("does not count each guesser's own attempts once a device's budget is spent", () => {
  const strangers = tries(200, 1, (n) => ({ who: `stranger-${n % 100}` }));
  expect(reachOf(strangers, claimAllowance).device).toBe(0);
  const fourth = { at: 1_000, who: "stranger-1", deviceId: "d" };
  const third = { at: 900, who: "stranger-1", deviceId: "d" };
  expect(
    describeExcess("claim", reachOf([...strangers, third], claimAllowance), claimAllowance),
  ).toEqual([]);
  const reach = reachOf([...strangers, third, fourth], claimAllowance);
  expect(describeExcess("claim", reach, claimAllowance)).toHaveLength(1);
});
