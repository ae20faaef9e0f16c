import { expect, test } from "vitest";
import { findBlockingTrouble, noteFailure, noteRollBack } from "./trouble.js";

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
