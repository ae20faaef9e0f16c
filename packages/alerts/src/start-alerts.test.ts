import { expect, onTestFinished, test, vi } from "vitest";
import { startAlerts } from "./start-alerts.js";

test("rounds leave no listeners behind", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const add = vi.spyOn(AbortSignal.prototype, "addEventListener");
  const remove = vi.spyOn(AbortSignal.prototype, "removeEventListener");
  let rounds = 0;
  const running = startAlerts({
    readLevels: () => ({ isActive: false, lagSeconds: 0, judged: 0 }),
    async runOnce() {
      rounds += 1;
      return { judged: 0, lookedMs: 0 };
    },
    release: async () => {},
  });
  await vi.advanceTimersByTimeAsync(20_000);
  expect(rounds).toBeGreaterThan(15);
  await running.stop();
  expect(remove.mock.calls).toHaveLength(add.mock.calls.length);
});
