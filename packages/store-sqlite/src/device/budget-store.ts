import type { Budget, BudgetStore } from "@device-gateway/core/store";
import type { Connection } from "../database/connection.js";
import type { Database } from "../database/database.js";
import { prepareEventWriter } from "./security-event-store.js";

export function createBudgetStore({ database, write }: Connection): BudgetStore {
  const writeEvent = prepareEventWriter(database);
  const attempts = prepareAttempts(database);

  /** Returns until when the budget refuses attempts, or null if it does not refuse. */
  function refusedUntil({ unless, ...budget }: Budget, now: number): number | null {
    if (budget.whenSpent === "report") return null;
    const allUntil = attempts.freeAt(budget, budget.limit, now);
    if (allUntil === null || unless === undefined) return allUntil;
    const callerUntil = attempts.freeAt(unless, unless.below, now);
    return callerUntil === null ? null : Math.min(allUntil, callerUntil);
  }

  return {
    reserve: ({ reservationId, budgets, now, event }) =>
      write(() => {
        if (attempts.isCounted(reservationId)) return { kind: "reserved", reservationId };
        const refusals = budgets.flatMap((budget) => refusedUntil(budget, now) ?? []);
        if (refusals.length > 0) return { kind: "refused", retryAt: Math.max(...refusals) };
        for (const { key, limit, windowMs, whenSpent } of budgets) {
          const before = attempts.count(key, now - windowMs);
          if (whenSpent === "report" && before >= limit) continue;
          attempts.insert(key, now, reservationId);
          if (before + 1 !== limit) continue;
          writeEvent({ ...event, details: { ...event.details, budget: key } });
        }
        return { kind: "reserved", reservationId };
      }),

    refund: (reservationId) => write(() => attempts.remove(reservationId)),

    prune: ({ before, limit }) =>
      write(() => {
        const old = attempts.listBefore(before, limit);
        for (const reservationId of old) attempts.remove(reservationId);
        return old.length;
      }),
  };
}

function prepareAttempts(database: Database) {
  const count = database
    .prepare<[string, number], number>("SELECT count(*) FROM budget_tries WHERE key = ? AND at > ?")
    .pluck();
  const findNth = database
    .prepare<[string, number, number], number>(
      "SELECT at FROM budget_tries WHERE key = ? AND at > ? ORDER BY at DESC LIMIT 1 OFFSET ?",
    )
    .pluck();
  const find = database.prepare<[string]>("SELECT 1 FROM budget_tries WHERE reservation_id = ?");
  const insert = database.prepare<[string, number, string]>(
    "INSERT INTO budget_tries (key, at, reservation_id) VALUES (?, ?, ?)",
  );
  const remove = database.prepare<[string]>("DELETE FROM budget_tries WHERE reservation_id = ?");
  const listBefore = database
    .prepare<[number, number], string>(
      `SELECT DISTINCT reservation_id, at FROM budget_tries
       WHERE at < ? ORDER BY at, reservation_id LIMIT ?`,
    )
    .pluck();
  return {
    isCounted: (reservationId: string): boolean => find.get(reservationId) !== undefined,

    count: (key: string, after: number): number => count.get(key, after) as number,

    /**
     * Returns when fewer than `bound` attempts will count under the key, or null if that is so now.
     */
    freeAt(
      { key, windowMs }: Pick<Budget, "key" | "windowMs">,
      bound: number,
      now: number,
    ): number | null {
      const blocking = findNth.get(key, now - windowMs, bound - 1);
      return blocking === undefined ? null : blocking + windowMs;
    },

    insert: (key: string, at: number, reservationId: string): void =>
      void insert.run(key, at, reservationId),

    remove: (reservationId: string): void => void remove.run(reservationId),

    listBefore: (before: number, limit: number): string[] => listBefore.all(before, limit),
  };
}
