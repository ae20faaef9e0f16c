import { StoreUnavailableError } from "@device-gateway/core/store";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { withTimeout } from "./with-timeout.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a slow call is rejected in time, and a fast one leaves no timer", async () => {
  const late = withTimeout(new Promise(() => {}), 1_500);
  const rejected = expect(late).rejects.toBeInstanceOf(StoreUnavailableError);
  await vi.advanceTimersByTimeAsync(1_500);
  await rejected;
  const timers = vi.getTimerCount();
  expect(await withTimeout(Promise.resolve("in time"), 1_500)).toBe("in time");
  await expect(withTimeout(Promise.reject(new Error("own")), 1_500)).rejects.toThrow("own");
  expect(vi.getTimerCount()).toBe(timers);
});
