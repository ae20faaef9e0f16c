import type { SecurityEvent } from "../audit/security-event.js";

/** A bound on tries within a sliding window. */
export interface Budget {
  /** What is counted, such as `claim:device:gw-1`. */
  readonly key: string;
  /** 1 or more. */
  readonly limit: number;
  readonly windowMs: number;
  /** What a spent budget does: refuse the try, or let it pass and only write the event. */
  readonly whenSpent: "refuse" | "report";
  /** When spent, a try passes all the same while fewer than `below` count here. */
  readonly unless?: { readonly key: string; readonly windowMs: number; readonly below: number };
}

export type ReserveOutcome =
  | { readonly kind: "reserved"; readonly reservationId: string }
  /** `retryAt`: epoch milliseconds, when enough of the tries will have left their windows. */
  | { readonly kind: "refused"; readonly retryAt: number };

/** Tries that count against budgets, across all processes (contract §9). */
export interface BudgetStore {
  /**
   * Counts a try under every budget's key, or under none: in one transaction, so that no number of
   * concurrent tries gets past a limit. A try counts while `now < at + windowMs`. `event` is
   * written when this try brings a budget to its limit, with the budget's key as `details.budget`;
   * a `report` budget counts no tries beyond its limit. A try that counts already is let in as the
   * same one, so that a call whose answer was lost can be made again.
   */
  reserve(input: {
    /** Unique to this try: names it in `refund`. */
    reservationId: string;
    budgets: readonly Budget[];
    now: number;
    event: SecurityEvent;
  }): Promise<ReserveOutcome>;
  /**
   * Takes a try back, as if it never was: it was right. Unknown ones are ignored, so that this too
   * can be done again.
   */
  refund(reservationId: string): Promise<void>;
  /** Forgets tries from before a time, in epoch milliseconds, at most `limit`; says how many. */
  prune(input: { before: number; limit: number }): Promise<number>;
}
