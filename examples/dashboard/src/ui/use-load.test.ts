import { expect, test, vi } from "vitest";
import { offline } from "../api/call.js";
import { joinFailures } from "./use-load.js";

test("the first failure is shown, and “Try again” repeats each request that failed, and no other", () => {
  const done = { failure: undefined, reload: vi.fn() };
  const first = { failure: { ...offline, message: "first" }, reload: vi.fn() };
  const second = { failure: { ...offline, message: "second" }, reload: vi.fn() };
  const { failure, retry } = joinFailures(done, first, second);
  expect(failure?.message).toBe("first");
  retry();
  expect([done, first, second].map(({ reload }) => reload.mock.calls.length)).toEqual([0, 1, 1]);
  expect(joinFailures(done).failure).toBeUndefined();
});
