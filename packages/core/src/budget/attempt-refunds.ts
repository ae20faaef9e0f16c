import type { Clock } from "../ports/clock.js";
import type { BudgetStore } from "./budget-store.js";

/** A store gives up on a call after two seconds. Until then, a call that failed here may still be committed. */
const pauseMs = 2_000;
/** No budget has a longer window, so an older attempt no longer counts. */
const longestWindowMs = 3_600_000;
/** Maximum number of refunds that wait. They take about 2 MB. */
const capacity = 10_000;

/**
 * Refunds attempts, and retries until the store has done it. An attempt that is never refunded could lock an owner
 * out.
 */
export interface AttemptRefunds {
  /** Refunds an attempt now, or later if the store is unavailable. Never rejects. */
  refund(reservationId: string): Promise<void>;
  /** Refunds an attempt whose reservation failed but may have been committed, or may still be. */
  refundUncertain(reservationId: string): void;
}

interface Sources {
  readonly budgets: Pick<BudgetStore, "refund">;
  readonly clock: Clock;
}

export function createAttemptRefunds({ budgets, clock }: Sources): AttemptRefunds {
  /** Reservation ids that wait for their refund, with the time of the request, oldest first. */
  const pending = new Map<string, number>();
  let isScheduled = false;

  const refund = (reservationId: string): Promise<boolean> =>
    budgets.refund(reservationId).then(
      () => true,
      () => false,
    );

  async function settle(due: ReadonlyMap<string, number>): Promise<void> {
    for (const [reservationId, since] of due) {
      if (clock.now() - since < longestWindowMs && !(await refund(reservationId))) break;
      pending.delete(reservationId);
    }
    isScheduled = pending.size > 0;
    if (isScheduled) schedule();
  }

  /**
   * Schedules refunds of what is pending now. Later requests wait for the next round, so that each has its full
   * pause.
   */
  function schedule(): void {
    const due = new Map(pending);
    const timer: unknown = setTimeout(() => void settle(due), pauseMs);
    // On Node a timer keeps the process alive. In other runtimes it is a number.
    (timer as { unref?: () => void }).unref?.();
  }

  function defer(reservationId: string): void {
    for (const oldest of pending.keys()) {
      if (pending.size < capacity) break;
      pending.delete(oldest);
    }
    pending.set(reservationId, clock.now());
    if (isScheduled) return;
    isScheduled = true;
    schedule();
  }

  return {
    async refund(reservationId) {
      if (!(await refund(reservationId))) defer(reservationId);
    },
    refundUncertain(reservationId) {
      void refund(reservationId);
      defer(reservationId);
    },
  };
}
