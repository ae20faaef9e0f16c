import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { createRestingTurns } from "./resting-turns.js";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
});

const wait = (ms: number) => new Promise((end) => setTimeout(end, ms));
const never = new AbortController().signal;

/** Takes turns that take this long, in milliseconds of a fake clock. Returns when each began. */
async function takeTurns(key: (n: number) => string, durations: readonly number[]) {
  const turns = createRestingTurns();
  const began: number[] = [];
  const startedAt = performance.now();
  for (const [n, ms] of durations.entries()) {
    void turns.enter(key(n), never).then(async (leave) => {
      began.push(performance.now() - startedAt);
      await wait(ms);
      leave();
    });
  }
  await vi.runAllTimersAsync();
  expect(vi.getTimerCount()).toBe(0);
  return began;
}

test("a key rests for three times as long as its turn took, for at most 50 ms", async () => {
  expect(await takeTurns(() => "a", [10, 100, 1])).toEqual([0, 40, 190]);
});

test("keys do not wait for each other", async () => {
  expect(await takeTurns(String, [10, 10, 10])).toEqual([0, 0, 0]);
});

test("a turn whose work hangs ends after a second", async () => {
  expect(await takeTurns(() => "a", [60_000, 1])).toEqual([0, 1_050]);
});

test("a caller whose signal aborts leaves the queue at once, and the next one gets its turn", async () => {
  const turns = createRestingTurns();
  const leave = await turns.enter("a", never);
  const gone = new AbortController();
  const left = turns.enter("a", gone.signal);
  const next = turns.enter("a", never);
  gone.abort(new Error("The client has gone."));
  await expect(left).rejects.toThrow("The client has gone.");
  leave();
  await vi.runAllTimersAsync();
  (await next)();
  await vi.runAllTimersAsync();
  await expect(turns.enter("a", gone.signal)).rejects.toThrow("The client has gone.");
});

test("a turn whose timers the runtime dropped is taken by the next caller, and then by those that wait", async () => {
  const turns = createRestingTurns();
  (await turns.enter("a", never))();
  const waiting = turns.enter("a", never);
  vi.clearAllTimers();
  vi.advanceTimersByTime(3_000);
  const leave = await turns.enter("a", never);
  leave();
  await vi.runAllTimersAsync();
  (await waiting)();
  await vi.runAllTimersAsync();
  expect(vi.getTimerCount()).toBe(0);
});
