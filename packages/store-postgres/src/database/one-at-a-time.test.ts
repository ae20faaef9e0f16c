import { expect, test } from "vitest";
import { oneAtATime } from "./one-at-a-time.js";

test("calls join the run that is under way, and a later call begins another, even after a failure", async () => {
  const ends: ((error?: Error) => void)[] = [];
  const run = oneAtATime(
    () =>
      new Promise<void>((resolve, reject) => {
        ends.push((error) => (error === undefined ? resolve() : reject(error)));
      }),
  );
  const joined = [run(), run()];
  expect(ends).toHaveLength(1);
  ends[0]?.(new Error("broken"));
  const outcomes = await Promise.allSettled(joined);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  const later = run();
  expect(ends).toHaveLength(2);
  ends[1]?.();
  await later;
});
