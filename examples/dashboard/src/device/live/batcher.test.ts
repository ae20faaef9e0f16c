import { expect, onTestFinished, test, vi } from "vitest";
import { createBatcher } from "./batcher.js";

test("a burst is shown as one batch in order, later items in the next batch, and nothing after stopping", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const shown: number[][] = [];
  const batcher = createBatcher<number>((items) => shown.push([...items]), 200);
  const burst = Array.from({ length: 1_000 }, (_, i) => i);
  for (const item of burst) batcher.add(item);
  vi.advanceTimersByTime(200);
  batcher.add(7);
  expect(shown).toEqual([burst]);
  vi.advanceTimersByTime(200);
  expect(shown).toEqual([burst, [7]]);
  batcher.add(8);
  batcher.stop();
  vi.advanceTimersByTime(1_000);
  expect(shown).toHaveLength(2);
});
