/**
 * The source of time. The times that a store returns come from its caller. Stores use clocks of their own only to limit
 * work, to measure delays and to find abandoned uploads.
 */
export interface Clock {
  /** Returns the milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
}

/**
 * Milliseconds. A stored time that is further ahead of its reader's clock than this was written by a wrong clock.
 * Leases and due times end at most ten minutes after they are written, so the clocks of two processes may differ by
 * five minutes.
 */
export const mostAheadMs = 900_000;

/** The clock of the runtime. */
export const systemClock: Clock = { now: () => Date.now() };
