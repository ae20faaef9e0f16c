import { StoreUnavailableError } from "@device-gateway/core/store";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { answerInTime } from "./answer-in-time.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a call that takes too long is answered in time, and one that comes in time leaves no timer", async () => {
  const late = answerInTime(new Promise(() => {}), 1_500);
  const rejected = expect(late).rejects.toBeInstanceOf(StoreUnavailableError);
  await vi.advanceTimersByTimeAsync(1_500);
  await rejected;
  const timers = vi.getTimerCount();
  expect(await answerInTime(Promise.resolve("in time"), 1_500)).toBe("in time");
  await expect(answerInTime(Promise.reject(new Error("own")), 1_500)).rejects.toThrow("own");
  expect(vi.getTimerCount()).toBe(timers);
});
