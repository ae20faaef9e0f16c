import { mostAheadMs } from "@device-gateway/core/store";

/** Alerts about one device that a rule may fire in quick succession. */
export const mostInSuccession = 5;
/** After these, a rule may fire one more alert about the device each time that this has passed, in milliseconds. */
const nextAlertMs = 30 * 60_000;

/** Rules whose budget is noted. More than the 50 rules of an owner and the 50 of the operators. */
const mostNoted = 200;

/** By rule: the time until which its earlier alerts take up the budget. Each alert adds 30 minutes to it. */
export type SpentUntil = Readonly<Record<string, number>>;

/** What rules may still fire about one device. It bounds what a metric that changes all the time can cause. */
export interface FiringBudget {
  /** Returns when a rule may fire its next alert. */
  nextAt(ruleId: string): number;
  mayFire(ruleId: string): boolean;
  /** Counts an alert that fires. */
  spend(ruleId: string): void;
  /**
   * Returns what to keep. It has the rules that do not apply at the moment as well, so that a device does not get a new
   * budget when it changes its hardware.
   */
  toNotes(): SpentUntil;
}

/** Returns the end of the budget's use after another alert. */
const spendFrom = (until: number, at: number): number => Math.max(until, at) + nextAlertMs;

/** Creates the budget from its notes. A clock that was ahead may have written times that no correct clock writes. */
export function createFiringBudget(noted: SpentUntil, now: number): FiringBudget {
  const latest = now + mostInSuccession * nextAlertMs + mostAheadMs;
  const spent = new Map(
    Object.entries(noted).filter(([, until]) => until > now && until <= latest),
  );
  const nextAt = (ruleId: string) =>
    (spent.get(ruleId) ?? now) - (mostInSuccession - 1) * nextAlertMs;
  return {
    nextAt,
    mayFire: (ruleId) => nextAt(ruleId) <= now,
    spend: (ruleId) => void spent.set(ruleId, spendFrom(spent.get(ruleId) ?? now, now)),
    toNotes: () => Object.fromEntries([...spent].sort(([, a], [, b]) => b - a).slice(0, mostNoted)),
  };
}

/** Returns the notes of a rule whose alerts fired at these times, in any order, without times of a clock that was ahead. */
export const spentBy = (ruleId: string, times: readonly number[], now: number): SpentUntil => ({
  [ruleId]: times
    .filter((at) => at <= now + mostAheadMs)
    .toSorted((a, b) => a - b)
    .reduce(spendFrom, 0),
});
