import fc from "fast-check";
import { expect, test } from "vitest";
import { type LevelCondition, nextLevel } from "./level-state.js";

const minuteMs = 60_000;

/** Returns whether the alert fires after each value, one a minute. */
function run(condition: LevelCondition, values: readonly number[]): string {
  let state = { firing: false, since: null as number | null };
  return values
    .map((value, n) => {
      state = nextLevel(condition, state, n * minuteMs, value);
      return state.firing ? "F" : "-";
    })
    .join("");
}

const below = { kind: "below", metric: "soc", threshold: 20, clearAt: 25 } as const;

test("§8 a level alert fires beyond the threshold, and clears at the clearing value only", () => {
  const rule = { ...below, holdSeconds: 0 };
  expect(run(rule, [30, 20, 19, 21, 24.9, 25, 21, 19])).toBe("--FFF--F");
  const above = { ...rule, kind: "above", threshold: 25, clearAt: 20 } as const;
  expect(run(above, [20, 25, 26, 24, 20.1, 20, 24, 26])).toBe("--FFF--F");
  const sharp = { ...rule, clearAt: 20 };
  expect(run(sharp, [19, 20, 19.9, 20.1])).toBe("F-F-");
});

test("§8 a level alert with a hold time fires when every value was beyond the threshold for that long", () => {
  const rule = { ...below, holdSeconds: 180 };
  expect(run(rule, [19, 19, 19, 19, 26])).toBe("---F-");
  expect(run(rule, [19, 19, 20, 19, 19, 19, 19])).toBe("------F");
});

test("§8 a level alert never changes while the values stay between clearing value and threshold", () => {
  const between = fc.double({ min: 20, max: 24.9, noNaN: true });
  fc.assert(
    fc.property(fc.array(between), fc.constantFrom(19, 26), (values, first) => {
      const states = run({ ...below, holdSeconds: 0 }, [first, ...values]);
      expect(new Set(states).size).toBe(1);
    }),
  );
});
