import { expect, onTestFinished, test, vi } from "vitest";
import { createInTurn } from "./in-turn.js";
import { createRestingTurns } from "./resting-turns.js";

/** Runs pieces of work that take this long, in milliseconds of a fake clock. Returns when each began. */
async function runPieces(key: (n: number) => string, durations: readonly number[]) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const inRestingTurn = createRestingTurns(createInTurn());
  const began: number[] = [];
  const startedAt = performance.now();
  const pieces = durations.map((ms, n) =>
    inRestingTurn(key(n), async () => {
      began.push(performance.now() - startedAt);
      await new Promise((end) => setTimeout(end, ms));
      if (n === 0) throw new Error("It failed.");
      return n;
    }),
  );
  const settled = Promise.allSettled(pieces);
  await vi.runAllTimersAsync();
  const results = (await settled).map((one) => (one.status === "fulfilled" ? one.value : null));
  return { began, results };
}

test("a key rests for three times as long as its work took, for at most 50 ms, also after a failure", async () => {
  const { began, results } = await runPieces(() => "a", [10, 100, 1]);
  expect(began).toEqual([0, 40, 190]);
  expect(results).toEqual([null, 1, 2]);
});

test("keys do not wait for each other", async () => {
  const { began } = await runPieces(String, [10, 10, 10]);
  expect(began).toEqual([0, 0, 0]);
});
