import type { Budget, BudgetStore } from "@device-gateway/core/store";
import { type MemoryState, type Transitions, writeEvent } from "../memory-state.js";

export function createMemoryBudgets(state: MemoryState): Transitions<BudgetStore> {
  /** Returns the times of the attempts that count for a key now, newest first. */
  const timesOf = ({ key, windowMs }: Pick<Budget, "key" | "windowMs">, now: number) =>
    [...state.attempts.values()]
      .filter(({ keys, at }) => keys.includes(key) && now < at + windowMs)
      .map(({ at }) => at)
      .sort((a, b) => b - a);

  /** Returns until when a budget refuses attempts, or null if it allows one. */
  function refusedUntil(budget: Budget, now: number): number | null {
    const { limit, windowMs, whenSpent, unless } = budget;
    const blockingAt = timesOf(budget, now)[limit - 1];
    if (whenSpent === "report" || blockingAt === undefined) return null;
    if (unless === undefined) return blockingAt + windowMs;
    const lastExemptAt = timesOf(unless, now)[unless.below - 1];
    if (lastExemptAt === undefined) return null;
    return Math.min(blockingAt + windowMs, lastExemptAt + unless.windowMs);
  }

  return {
    reserve({ reservationId, budgets, now, event }) {
      if (state.attempts.has(reservationId)) return { kind: "reserved", reservationId };
      const refusals = budgets.flatMap((budget) => refusedUntil(budget, now) ?? []);
      if (refusals.length > 0) return { kind: "refused", retryAt: Math.max(...refusals) };
      const counts = budgets.map((budget) => ({ ...budget, count: timesOf(budget, now).length }));
      const keys = counts
        .filter(({ whenSpent, count, limit }) => whenSpent === "refuse" || count < limit)
        .map(({ key }) => key);
      if (keys.length > 0) state.attempts.set(reservationId, { at: now, keys });
      for (const { key, count, limit } of counts) {
        if (count + 1 !== limit) continue;
        writeEvent(state, { ...event, details: { ...event.details, budget: key } });
      }
      return { kind: "reserved", reservationId };
    },

    refund(reservationId) {
      state.attempts.delete(reservationId);
    },

    prune({ before, limit }) {
      const old = [...state.attempts].filter(([, { at }]) => at < before).slice(0, limit);
      for (const [reservationId] of old) state.attempts.delete(reservationId);
      return old.length;
    },
  };
}
