/** The source of time. Stores never read a clock of their own. */
export interface Clock {
  /** Returns the milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
}

/** The clock of the runtime. */
export const systemClock: Clock = { now: () => Date.now() };
