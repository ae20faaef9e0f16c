import { expect, test } from "vitest";
import { StoreUnavailableError } from "../ports/store-unavailable-error.js";
import { retryWhileChanged } from "./retry-while-changed.js";

/** A transition that other requests disturb in its first runs. */
function disturbedFor(count: number) {
  let runs = 0;
  return {
    run: async () => (++runs > count ? "done" : "changed"),
    runs: () => runs,
  };
}

test("a transition runs again while other requests change the device, five times in all", async () => {
  for (const disturbed of [0, 1, 4]) {
    const { run, runs } = disturbedFor(disturbed);
    expect(await retryWhileChanged("gw-1", run)).toBe("done");
    expect(runs()).toBe(disturbed + 1);
  }
  const { run, runs } = disturbedFor(5);
  await expect(retryWhileChanged("gw-1", run)).rejects.toThrow(StoreUnavailableError);
  expect(runs()).toBe(5);
});
