const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;

/** The bounds of a sender. */
export const senderLimits = {
  /** Events that one round reads. */
  batch: 100,
  /** Pages of the log that endpoints of owners share in one round. */
  sharedPages: 64,
  /**
   * Pages without a message that an owner's endpoint reads at once, if it was not at the end of the log before. The next
   * round continues.
   */
  pagesOfOthers: 10,
  /** An endpoint that gets nothing stores its place in the log after this many events, or after this time. */
  idle: { events: 1_000, ms: 60 * minuteMs },
  /** Messages of one endpoint that wait. With more, the endpoint gets no new ones until some have left. */
  waiting: 500,
  /** Messages of one device that wait. With more, its oldest one is given up. */
  waitingOfQueue: 100,
  /** Devices of one endpoint that get a message at once. */
  parallel: 8,
  /** After this many failures and no success, a round tries no further message. */
  failuresInRound: 8,
  /** A message that fails for longer becomes a dead letter. */
  giveUpMs: 3 * dayMs,
  /** An endpoint that fails for longer is disabled. */
  disableMs: 5 * dayMs,
  /** After this time, a message whose device could not be read is judged again. */
  unreadableMs: 15_000,
  /** The messages of a failing endpoint are read again after this time, although none of them is due. */
  restMs: 5_000,
  firstRetryMs: 5_000,
  longestRetryMs: 60 * minuteMs,
  leaseMs: 30_000,
  /** What an endpoint keeps of its history. */
  keep: { attempts: 200, dead: 500 },
} as const;

/** Returns how long to wait after a number of failed attempts: twice as long after each, with jitter. `random` is 0 to 1. */
export function retryAfterMs(attempts: number, random: number): number {
  const { firstRetryMs, longestRetryMs } = senderLimits;
  const base = Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(attempts - 1, 30));
  return Math.round(base * (0.5 + random / 2));
}
