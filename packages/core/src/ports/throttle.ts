import type { Awaitable } from "../shared/awaitable.js";

export interface ThrottleDraw {
  /** The bucket: the kind of draw and the client, such as `auth:203.0.113.7`. */
  readonly key: string;
  readonly cost: number;
  /** Tokens that the bucket gains in a minute. */
  readonly perMinute: number;
  /** Size of the bucket in tokens. Default: `perMinute`. */
  readonly burst?: number;
  /** Epoch milliseconds, from the gateway's clock. */
  readonly now: number;
}

export type ThrottleOutcome =
  | { readonly kind: "taken" }
  | { readonly kind: "empty"; readonly retryAfterSeconds: number };

/**
 * Token buckets against floods (§9). The default counts in each process. Implement this port to count across
 * processes. Limits that must hold exactly are budgets in the store instead.
 */
export interface Throttle {
  /**
   * Takes `cost` tokens, all or none. A cost above the bucket's size is allowed if the bucket is full. The bucket
   * must then refill before the next draw.
   */
  take(draw: ThrottleDraw): Awaitable<ThrottleOutcome>;
  /** Returns the tokens of an earlier draw to the bucket, up to its size. */
  giveBack(draw: ThrottleDraw): Promise<void>;
}
