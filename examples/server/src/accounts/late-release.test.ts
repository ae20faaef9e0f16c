import { silentLogger } from "@device-gateway/core";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createLateRelease } from "./late-release.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const claimMs = 80_000;

test("the devices of a deleted account are released again after the longest time that a claim may take", async () => {
  const release = vi.fn(async () => {});
  const { schedule } = createLateRelease({ release, claimMs, logger: silentLogger });
  schedule("ann");
  await vi.advanceTimersByTimeAsync(claimMs / 2);
  schedule("ann");
  await vi.advanceTimersByTimeAsync(claimMs - 1);
  expect(release).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(release.mock.calls).toEqual([["ann"]]);
  expect(vi.getTimerCount()).toBe(0);
});

test("a release of a deleted account's devices that fails is logged and tried again until the server stops", async () => {
  const failure = new Error("The database is away.");
  const release = vi.fn(() => Promise.reject(failure));
  const error = vi.fn();
  const late = createLateRelease({ release, claimMs, logger: { ...silentLogger, error } });
  late.schedule("ann");
  await vi.advanceTimersByTimeAsync(2 * claimMs);
  expect(release).toHaveBeenCalledTimes(2);
  expect(error).toHaveBeenCalledWith({ err: failure, userId: "ann" }, expect.any(String));
  late.stop();
  expect(vi.getTimerCount()).toBe(0);
});
