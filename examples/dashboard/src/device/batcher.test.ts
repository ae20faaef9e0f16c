import { expect, onTestFinished, test, vi } from "vitest";
import { createBatcher } from "./batcher.js";

test("a burst is shown at once, in order; what comes later is shown later; stopped, nothing is", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const shown: number[][] = [];
  const gatherer = createBatcher<number>((items) => shown.push([...items]), 200);
  const burst = Array.from({ length: 1_000 }, (_, i) => i);
  for (const item of burst) gatherer.add(item);
  vi.advanceTimersByTime(200);
  gatherer.add(7);
  expect(shown).toEqual([burst]);
  vi.advanceTimersByTime(200);
  expect(shown).toEqual([burst, [7]]);
  gatherer.add(8);
  gatherer.stop();
  vi.advanceTimersByTime(1_000);
  expect(shown).toHaveLength(2);
});
