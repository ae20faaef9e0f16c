import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { createRestingTurns } from "./resting-turns.js";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
});

const wait = (ms: number) => new Promise((end) => setTimeout(end, ms));
const isThere = async () => {};

/** Takes turns that take this long, in milliseconds of a fake clock. Returns when each began. */
async function takeTurns(key: (n: number) => string, durations: readonly number[]) {
  const turns = createRestingTurns();
  const began: number[] = [];
  const startedAt = performance.now();
  for (const [n, ms] of durations.entries()) {
    void turns.enter(key(n), isThere).then(async (leave) => {
      began.push(performance.now() - startedAt);
      await wait(ms);
      leave();
    });
  }
  await vi.runAllTimersAsync();
  expect(vi.getTimerCount()).toBe(0);
  return began;
}

test("a key rests for three times as long as its turn took, for at least 20 and at most 50 ms", async () => {
  expect(await takeTurns(() => "a", [10, 100, 1, 1])).toEqual([0, 40, 190, 211]);
});

test("keys do not wait for each other", async () => {
  expect(await takeTurns(String, [10, 10, 10])).toEqual([0, 0, 0]);
});

test("a turn whose work hangs ends after a second", async () => {
  expect(await takeTurns(() => "a", [60_000, 1])).toEqual([0, 1_050]);
});

test("a caller that has gone when its turn begins gets no turn, and the next one gets it without a rest", async () => {
  const turns = createRestingTurns();
  const leave = await turns.enter("a", isThere);
  const gone = turns.enter("a", () => Promise.reject(new Error("The client has gone.")));
  const next = turns.enter("a", isThere).then((end) => ({ end, at: performance.now() }));
  const left = expect(gone).rejects.toThrow("The client has gone.");
  const leftAt = performance.now();
  leave();
  await vi.runAllTimersAsync();
  await left;
  const { end, at } = await next;
  expect(at - leftAt).toBe(20);
  end();
  await vi.runAllTimersAsync();
  expect(vi.getTimerCount()).toBe(0);
});

test("if the runtime drops the timers of a request that has ended, the next request waits for the rest only", async () => {
  const turns = createRestingTurns();
  (await turns.enter("a", isThere))();
  vi.clearAllTimers();
  const next = turns.enter("a", isThere);
  await vi.advanceTimersByTimeAsync(20);
  (await next)();
  await vi.runAllTimersAsync();
  expect(vi.getTimerCount()).toBe(0);
});

test("a turn whose request the runtime dropped is taken by the next caller, and then by those that wait", async () => {
  const turns = createRestingTurns();
  void turns.enter("a", () => new Promise(() => {}));
  const waiting = turns.enter("a", isThere);
  vi.clearAllTimers();
  vi.advanceTimersByTime(3_000);
  const leave = await turns.enter("a", isThere);
  leave();
  await vi.runAllTimersAsync();
  (await waiting)();
  await vi.runAllTimersAsync();
  expect(vi.getTimerCount()).toBe(0);
});
