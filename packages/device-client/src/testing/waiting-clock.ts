import type { UpdateClock } from "../update/update-ports.js";

export interface WaitingClock extends UpdateClock {
  /** Moves time forward and ends the deadlines that it passes. */
  advance(ms: number): void;
}

/** A clock that `wait` and `advance` move. A wait with a signal ends only by `advance` or the signal. */
export function createWaitingClock(start = Date.UTC(2026, 1, 1)): WaitingClock {
  let now = start;
  const deadlines = new Set<{ at: number; end: () => void }>();
  const advance = (ms: number) => {
    now += ms;
    for (const deadline of deadlines) if (deadline.at <= now) deadline.end();
  };
  return {
    now: () => now,
    advance,
    async wait(ms, signal) {
      if (signal === undefined) return advance(ms);
      await new Promise<void>((resolve) => {
        const deadline = { at: now + ms, end: resolve };
        deadlines.add(deadline);
        const forget = () => {
          deadlines.delete(deadline);
          resolve();
        };
        signal.addEventListener("abort", forget, { once: true });
      });
    },
  };
}
