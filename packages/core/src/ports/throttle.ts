import type { Awaitable } from "../shared/awaitable.js";

export interface ThrottleDraw {
  /** Whose bucket: the kind of draw and the one who draws, such as `auth:203.0.113.7`. */
  readonly key: string;
  readonly cost: number;
  /** Tokens that flow in a minute. */
  readonly perMinute: number;
  /** Tokens that the bucket holds. Default: `perMinute`. */
  readonly burst?: number;
  /** The core's clock, in epoch milliseconds. */
  readonly now: number;
}

export type ThrottleOutcome =
  | { readonly kind: "taken" }
  | { readonly kind: "empty"; readonly retryAfterSeconds: number };

/**
 * Token buckets against floods (contract §9). The supplied one counts per process; plug in a
 * shared one to count across processes. Not a budget: what must hold exactly lives in the store.
 */
export interface Throttle {
  /**
   * Takes `cost` tokens, all or none. A cost above the bucket's size is let through when the
   * bucket is full, and paid off before the next draw.
   */
  take(draw: ThrottleDraw): Awaitable<ThrottleOutcome>;
  /** Puts the tokens of an earlier draw back, up to the bucket's size. */
  giveBack(draw: ThrottleDraw): Promise<void>;
}
