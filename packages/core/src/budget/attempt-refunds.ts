import type { Clock } from "../ports/clock.js";
import type { BudgetStore } from "./budget-store.js";

/** A store gives up on a call after two seconds: until then one may still come true. */
const pauseMs = 2_000;
/** No budget has a longer window: a try that is older counts nowhere. */
const longestWindowMs = 3_600_000;
/** Some 2 MB. */
const capacity = 10_000;

/** Gives tries back until the store has heard: one that stays counted could lock an owner out. */
export interface AttemptRefunds {
  /** Gives a try back, now or later; never rejects. */
  refund(reservationId: string): Promise<void>;
  /** The same for a try of which nobody knows whether it counts, or will in a moment. */
  refundUncertain(reservationId: string): void;
}

interface Sources {
  readonly budgets: Pick<BudgetStore, "refund">;
  readonly clock: Clock;
}

export function createAttemptRefunds({ budgets, clock }: Sources): AttemptRefunds {
  /** Since when each is to be given back, oldest first. */
  const owed = new Map<string, number>();
  let isWaiting = false;

  const refund = (reservationId: string): Promise<boolean> =>
    budgets.refund(reservationId).then(
      () => true,
      () => false,
    );

  async function settle(due: ReadonlyMap<string, number>): Promise<void> {
    for (const [reservationId, since] of due) {
      if (clock.now() - since < longestWindowMs && !(await refund(reservationId))) break;
      owed.delete(reservationId);
    }
    isWaiting = owed.size > 0;
    if (isWaiting) wait();
  }

  /** Not for what is owed from now on: that has its own time to come true. */
  function wait(): void {
    const due = new Map(owed);
    const timer: unknown = setTimeout(() => void settle(due), pauseMs);
    // Node's timers keep a process alive; others are mere numbers.
    (timer as { unref?: () => void }).unref?.();
  }

  function owe(reservationId: string): void {
    for (const oldest of owed.keys()) {
      if (owed.size < capacity) break;
      owed.delete(oldest);
    }
    owed.set(reservationId, clock.now());
    if (isWaiting) return;
    isWaiting = true;
    wait();
  }

  return {
    async refund(reservationId) {
      if (!(await refund(reservationId))) owe(reservationId);
    },
    refundUncertain(reservationId) {
      void refund(reservationId);
      owe(reservationId);
    },
  };
}
