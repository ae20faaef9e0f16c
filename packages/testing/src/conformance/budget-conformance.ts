import type { Budget, GatewayStore, StoredSecurityEvent } from "@device-gateway/core/store";
import { expect } from "vitest";
import { sampleSecurityEvent } from "./samples/samples.js";
import { type StoreCase, toCase } from "./samples/store-case.js";

const event = sampleSecurityEvent("gw-1", "budget.spent", { customer: "c" });
/** Allows three attempts in one second. */
export const sampleBudget = (key: string, changes: Partial<Budget> = {}): Budget => ({
  ...{ key, limit: 3, windowMs: 1_000, whenSpent: "refuse" },
  ...changes,
});

export const reserve = (
  store: GatewayStore,
  reservationId: string,
  now: number,
  ...budgets: readonly Budget[]
) => store.budgets.reserve({ reservationId, budgets, now, event });

/** Returns the keys of the spent budgets in the order of their events. */
export async function spentKeys(store: GatewayStore): Promise<unknown[]> {
  const events: readonly StoredSecurityEvent[] = await store.securityEvents.list({
    after: 0,
    limit: 1_000,
  });
  return events.map(({ details }) => details.budget);
}

const reserved = (reservationId: string) => ({ kind: "reserved", reservationId });
const refused = (retryAt: number) => ({ kind: "refused", retryAt });

/** Cases for `BudgetStore.reserve` with one budget. */
const singleCases: readonly StoreCase[] = [
  toCase("reserve: refuses beyond the limit until the oldest attempt expires", async ([a, b]) => {
    const budget = sampleBudget("key");
    for (const [n, now] of [5_000, 5_300, 5_600].entries()) {
      expect(await reserve(n % 2 ? a : b, `try-${n}`, now, budget)).toEqual(reserved(`try-${n}`));
    }
    for (const now of [5_600, 5_999]) {
      expect(await reserve(a, "more", now, budget)).toEqual(refused(6_000));
    }
    expect(await reserve(b, "try-3", 6_000, budget)).toEqual(reserved("try-3"));
    expect(await reserve(a, "more", 6_299, budget)).toEqual(refused(6_300));
    expect(await reserve(a, "try-4", 6_300, budget)).toEqual(reserved("try-4"));
    expect(await reserve(b, "more", 6_300, budget)).toEqual(refused(6_600));
  }),

  toCase("reserve: keys differ by every character", async ([a, b]) => {
    for (const key of ["key", "KEY", "key ", "k%", ""]) {
      const budget = sampleBudget(key, { limit: 1 });
      expect(await reserve(a, `try ${key}`, 5_000, budget)).toEqual(reserved(`try ${key}`));
      expect(await reserve(b, `more ${key}`, 5_000, budget)).toEqual(refused(6_000));
    }
  }),

  toCase("reserve: one key can be checked with several windows and limits", async ([a, b]) => {
    const [short, long] = [sampleBudget("key"), sampleBudget("key", { windowMs: 9_000, limit: 4 })];
    for (const now of [1_000, 1_001, 1_002]) await reserve(a, `try-${now}`, now, short);
    expect(await reserve(b, "more", 1_500, short)).toEqual(refused(2_000));
    expect(await reserve(b, "fourth", 1_500, long)).toEqual(reserved("fourth"));
    expect(await reserve(a, "more", 3_000, long)).toEqual(refused(10_000));
    // Four attempts count and the limit is three, so two must expire.
    const stricter = sampleBudget("key", { windowMs: 9_000 });
    expect(await reserve(a, "more", 3_000, stricter)).toEqual(refused(10_001));
  }),

  toCase("reserve: writes an event with the key each time a budget is spent", async ([a, b]) => {
    const budget = sampleBudget("key", { limit: 2 });
    await reserve(a, "1", 5_000, budget);
    expect(await spentKeys(b)).toEqual([]);
    await reserve(b, "2", 5_500, budget);
    for (const now of [5_600, 5_700]) await reserve(a, "refused", now, budget);
    const [written, ...others] = await b.securityEvents.list({ after: 0, limit: 10 });
    const details = { customer: "c", budget: "key" };
    expect(written).toEqual({ ...event, details, id: expect.any(Number) });
    expect(others).toEqual([]);
    await reserve(a, "3", 6_000, budget);
    expect(await spentKeys(b)).toEqual(["key", "key"]);
    await reserve(a, "4", 9_000, budget);
    expect(await spentKeys(b)).toEqual(["key", "key"]);
  }),

  toCase("reserve: a report budget refuses nothing and counts up to its limit", async ([a, b]) => {
    const report = sampleBudget("key", { limit: 2, whenSpent: "report" });
    for (const [n, now] of [5_000, 5_100, 5_200, 5_300].entries()) {
      expect(await reserve(n % 2 ? a : b, `try-${n}`, now, report)).toEqual(reserved(`try-${n}`));
    }
    expect(await spentKeys(a)).toEqual(["key"]);
    // This would be refused if the third and fourth attempts had been counted.
    const budget = sampleBudget("key", { limit: 2 });
    expect(await reserve(a, "later", 6_000, budget)).toEqual(reserved("later"));
    expect(await spentKeys(b)).toEqual(["key", "key"]);
  }),
];

/** Cases for `BudgetStore.reserve` with several budgets. */
const severalCases: readonly StoreCase[] = [
  toCase("reserve: counts in every budget or in none", async ([a, b]) => {
    const [wide, narrow] = [sampleBudget("wide"), sampleBudget("narrow", { limit: 1 })];
    expect(await reserve(a, "1", 5_000, wide, narrow)).toEqual(reserved("1"));
    for (const store of [a, b, a, b]) {
      expect(await reserve(store, "refused", 5_000, wide, narrow)).toEqual(refused(6_000));
    }
    expect(await reserve(b, "2", 5_000, wide)).toEqual(reserved("2"));
    expect(await reserve(b, "3", 5_000, wide)).toEqual(reserved("3"));
    expect(await spentKeys(a)).toEqual(["narrow", "wide"]);
  }),

  toCase("reserve: refuses until the last of the budgets allows it", async ([a, b]) => {
    const budgets = [
      sampleBudget("a", { limit: 1, windowMs: 4_000 }),
      sampleBudget("b", { limit: 1, windowMs: 9_000 }),
      sampleBudget("c", { limit: 1, windowMs: 6_000 }),
      sampleBudget("d", { limit: 2, windowMs: 99_000 }),
    ];
    await reserve(a, "1", 1_000, ...budgets);
    expect(await reserve(b, "more", 2_000, ...budgets)).toEqual(refused(10_000));
    expect(await reserve(b, "more", 9_999, ...budgets)).toEqual(refused(10_000));
    expect(await reserve(a, "2", 10_000, ...budgets)).toEqual(reserved("2"));
  }),

  toCase("reserve: writes an event for each budget that an attempt spends", async ([a]) => {
    const budgets = ["a", "b", "c"].map((key, n) =>
      sampleBudget(key, { limit: n === 1 ? 9 : 1, whenSpent: n === 2 ? "report" : "refuse" }),
    );
    await reserve(a, "1", 5_000, ...budgets);
    expect([...(await spentKeys(a))].sort()).toEqual(["a", "c"]);
  }),

  toCase("reserve: a spent budget still allows callers with few attempts", async ([a, b]) => {
    const budgetsOf = (who: string) => [
      sampleBudget(`pair:${who}`, { limit: 9 }),
      sampleBudget("device", {
        limit: 2,
        windowMs: 10_000,
        unless: { key: `pair:${who}`, windowMs: 5_000, below: 2 },
      }),
    ];
    await reserve(a, "1", 1_000, ...budgetsOf("mallory"));
    await reserve(b, "2", 1_100, ...budgetsOf("mallory"));
    expect(await reserve(a, "-", 1_200, ...budgetsOf("mallory"))).toEqual(refused(6_000));
    expect(await reserve(b, "3", 1_200, ...budgetsOf("owner"))).toEqual(reserved("3"));
    expect(await reserve(a, "4", 1_300, ...budgetsOf("owner"))).toEqual(reserved("4"));
    expect(await reserve(b, "-", 1_400, ...budgetsOf("owner"))).toEqual(refused(6_200));
    expect(await spentKeys(a), "an exempt attempt writes no event").toEqual(["device"]);
    expect(await reserve(a, "5", 6_000, ...budgetsOf("mallory"))).toEqual(reserved("5"));
    // Exempt attempts count too: five in ten seconds, of which four must expire.
    const plain = sampleBudget("device", { limit: 2, windowMs: 10_000 });
    expect(await reserve(b, "-", 6_000, plain)).toEqual(refused(11_300));
  }),

  toCase(
    "reserve: refuses until the exemption applies or the budget recovers, whichever is earlier",
    async ([a, b]) => {
      const unless = { key: "pair", windowMs: 10_000, below: 1 };
      const budgets = [sampleBudget("pair"), sampleBudget("device", { limit: 2, unless })];
      await reserve(a, "1", 1_000, ...budgets);
      await reserve(b, "2", 1_100, sampleBudget("device"));
      expect(await reserve(b, "3", 1_200, ...budgets)).toEqual(refused(2_000));
      expect(await reserve(a, "3", 2_000, ...budgets)).toEqual(reserved("3"));
    },
  ),

  toCase("reserve: refuses nothing without a budget", async ([a]) => {
    expect(await reserve(a, "1", 5_000)).toEqual(reserved("1"));
    expect(await a.budgets.prune({ before: 9_000, limit: 9 })).toBe(0);
  }),
];

export const budgetCases: readonly StoreCase[] = [...singleCases, ...severalCases];
