import { expect, test } from "vitest";
import { findBlockingTrouble, noteFailure, noteRollBack } from "./trouble.js";
import type { Trouble } from "./update-state.js";

const day = 86_400_000;

test("§6 an image that failed is held for at most a day, also if the clock was wrong when it failed", () => {
  const now = Date.UTC(2026, 0, 1);
  const threeFailures = [0, 0, 0].reduce<ReturnType<typeof noteFailure>>(
    (troubles) => noteFailure(troubles, "a", now),
    [],
  );
  expect(findBlockingTrouble(threeFailures, "a", now)).toMatchObject({ retryAt: now + day });
  expect(findBlockingTrouble(threeFailures, "a", now + day)).toBeUndefined();
  // The clock was 12 years ahead, and was set back later.
  const ahead = noteFailure([], "a", now + 12 * 365 * day);
  expect(findBlockingTrouble(ahead, "a", now)).toBeUndefined();
  expect(findBlockingTrouble(noteRollBack([], "a"), "a", now)).toMatchObject({ retryAt: null });
});

test("§6 an image that was rolled back is not forgotten because other images fail", () => {
  const others = [..."bcdefghij"];
  const imagesOf = (troubles: readonly Trouble[]) => troubles.map(({ sha256 }) => sha256);
  const failed = others.reduce(
    (troubles, image) => noteFailure(troubles, image, day),
    noteRollBack([], "a"),
  );
  expect(imagesOf(failed)).toEqual(["a", ...others.slice(-7)]);
  expect(findBlockingTrouble(failed, "a", day)).toMatchObject({ retryAt: null });
  // A list of rolled-back images forgets the oldest, also for an image that only failed.
  const rolledBack = others.reduce(noteRollBack, failed);
  expect(imagesOf(rolledBack)).toEqual(others.slice(-8));
  expect(imagesOf(noteFailure(rolledBack, "k", day))).toEqual([...others.slice(-7), "k"]);
});
