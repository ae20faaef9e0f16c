import type { SecurityEvent } from "../audit/security-event.js";

/** A limit on attempts within a sliding window. */
export interface Budget {
  /** The name of the counter, such as `claim:device:gw-1`. */
  readonly key: string;
  /** 1 or more. */
  readonly limit: number;
  readonly windowMs: number;
  /** What a spent budget does: refuse the attempt, or allow it and only write the event. */
  readonly whenSpent: "refuse" | "report";
  /** A spent budget still allows an attempt while fewer than `below` attempts count under this key. */
  readonly unless?: { readonly key: string; readonly windowMs: number; readonly below: number };
}

export type ReserveOutcome =
  | { readonly kind: "reserved"; readonly reservationId: string }
  /** `retryAt` is the time, in epoch milliseconds, when enough attempts will have left their windows. */
  | { readonly kind: "refused"; readonly retryAt: number };

/** Counts attempts against budgets, across all processes (§9). */
export interface BudgetStore {
  /**
   * Counts an attempt under the key of every budget, or under none if a budget refuses it. It does so in one
   * transaction, so that concurrent attempts cannot exceed a limit. An attempt counts while
   * `now < at + windowMs`. If this attempt brings a budget to its limit, the store writes `event` with the
   * budget's key as `details.budget`. A `report` budget counts no attempts beyond its limit. A second call with
   * the same `reservationId` returns `reserved` and counts nothing, so that a call whose response was lost can
   * be repeated.
   */
  reserve(input: {
    /** Unique to this attempt. `refund` takes it. */
    reservationId: string;
    budgets: readonly Budget[];
    now: number;
    event: SecurityEvent;
  }): Promise<ReserveOutcome>;
  /**
   * Removes an attempt as if it had never been made. An unknown id is ignored, so that this call can be
   * repeated too.
   */
  refund(reservationId: string): Promise<void>;
  /** Deletes at most `limit` attempts from before a time in epoch milliseconds. Returns how many it deleted. */
  prune(input: { before: number; limit: number }): Promise<number>;
}
