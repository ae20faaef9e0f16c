import type { Clock } from "../ports/clock.js";

/** A clock that stands still until it is told to move. */
export interface FakeClock extends Clock {
  /** Moves the clock on by so many milliseconds. */
  advance(ms: number): void;
}

/** Creates a clock that starts at `startMs`, by default at 2025-01-01T00:00:00Z. */
export function createFakeClock(startMs: number = Date.UTC(2025, 0, 1)): FakeClock {
  let now = startMs;
  return {
    now: () => now,
    advance: (ms) => {
      now += ms;
    },
  };
}
