import { expect } from "vitest";
import { reserve, sampleBudget, spentKeys } from "./budget-conformance.js";
import { race, type StoreCase, toCase, toRace } from "./samples/store-case.js";

const refused = (retryAt: number) => ({ kind: "refused", retryAt });

/** Cases for `BudgetStore`: refunds, pruning and races. */
export const budgetRefundCases: readonly StoreCase[] = [
  toCase("refund: removes the attempt from every budget", async ([a, b]) => {
    const budgets = [sampleBudget("a", { limit: 2 }), sampleBudget("b", { limit: 2 })];
    await reserve(a, "1", 5_000, ...budgets);
    await reserve(a, "2", 5_100, ...budgets);
    expect(await reserve(b, "3", 5_200, ...budgets)).toEqual(refused(6_000));
    await b.budgets.refund("1");
    expect(await reserve(a, "3", 5_200, ...budgets)).toMatchObject({ kind: "reserved" });
    expect(await reserve(b, "4", 5_300, ...budgets)).toEqual(refused(6_100));
    expect(await spentKeys(a)).toEqual(["a", "b", "a", "b"]);
  }),

  toCase("refund: ignores an unknown attempt and a second refund", async ([a, b]) => {
    const budget = sampleBudget("key", { limit: 2 });
    await b.budgets.refund("nothing yet");
    await reserve(a, "1", 5_000, budget);
    await reserve(a, "2", 5_000, budget);
    await reserve(a, "refused", 5_000, budget);
    for (const id of ["refused", "3", "", "1 "]) await b.budgets.refund(id);
    expect(await reserve(a, "3", 5_000, budget)).toEqual(refused(6_000));
    await Promise.all([a.budgets.refund("1"), b.budgets.refund("1")]);
    expect(await reserve(b, "3", 5_000, budget)).toMatchObject({ kind: "reserved" });
    expect(await reserve(b, "4", 5_000, budget)).toEqual(refused(6_000));
  }),

  toCase("reserve: a repeated reservation counts once", async ([a, b]) => {
    const budgets = [
      sampleBudget("key", { limit: 2 }),
      sampleBudget("report", { limit: 2, whenSpent: "report" }),
    ];
    await reserve(a, "1", 5_000, ...budgets);
    const again = { kind: "reserved", reservationId: "1" };
    for (const store of [a, b]) expect(await reserve(store, "1", 5_000, ...budgets)).toEqual(again);
    await reserve(b, "2", 5_100, ...budgets);
    // The budget is spent, but this attempt was already reserved. It writes no second event.
    expect(await reserve(a, "1", 5_000, ...budgets)).toEqual(again);
    expect((await spentKeys(a)).sort()).toEqual(["key", "report"]);
    expect(await reserve(b, "3", 5_200, ...budgets)).toEqual(refused(6_000));
    await a.budgets.refund("1");
    expect(await reserve(b, "3", 5_200, ...budgets)).toMatchObject({ kind: "reserved" });
    expect(await reserve(a, "4", 5_300, ...budgets)).toEqual(refused(6_100));
  }),

  toCase("prune: deletes attempts from before a time, up to the limit", async ([a, b]) => {
    const budgets = ["a", "b"].map((key) => sampleBudget(key, { limit: 5, windowMs: 99_000 }));
    for (let n = 0; n < 5; n++) await reserve(n % 2 ? a : b, `${n}`, 1_000 + n, ...budgets);
    expect(await b.budgets.prune({ before: 1_000, limit: 9 })).toBe(0);
    expect(await b.budgets.prune({ before: 1_004, limit: 3 })).toBe(3);
    expect(await a.budgets.prune({ before: 1_004, limit: 3 })).toBe(1);
    expect(await a.budgets.prune({ before: 1_004, limit: 3 })).toBe(0);
    for (let n = 5; n < 9; n++) {
      const outcome = await reserve(a, `${n}`, 1_004, ...budgets);
      expect(outcome).toMatchObject({ kind: "reserved" });
    }
    expect(await reserve(b, "9", 1_004, ...budgets)).toEqual(refused(100_004));
  }),

  toRace("reserve: exactly as many racers as the limit are reserved", async (handles) => {
    for (let round = 0; round < 8; round++) {
      const limit = 1 + round;
      const budgets = [
        sampleBudget(`narrow-${round}`, { limit }),
        sampleBudget(`wide-${round}`, { limit: 99 }),
        sampleBudget(`report-${round}`, { limit: 1, whenSpent: "report" }),
      ];
      const outcomes = await race(handles, 16, (store, racer) =>
        reserve(store, `${round}-${racer}`, 5_000, ...budgets),
      );
      expect(outcomes.filter(({ kind }) => kind === "reserved")).toHaveLength(limit);
      const others = outcomes.filter(({ kind }) => kind === "refused");
      expect(others).toEqual(Array(16 - limit).fill(refused(6_000)));
      const keys = (await spentKeys(handles[1])).map(String);
      const roundKeys = keys.filter((key) => key.endsWith(`-${round}`)).sort();
      expect(roundKeys).toEqual([`narrow-${round}`, `report-${round}`]);
      const wide = sampleBudget(`wide-${round}`, { limit });
      const counted = await reserve(handles[0], `${round}`, 5_000, wide);
      expect(counted, "refused attempts do not count").toEqual(refused(6_000));
      const one = sampleBudget(`wide-${round}`, { limit: limit + 1 });
      expect(await reserve(handles[0], `one-${round}`, 5_000, one)).toMatchObject({
        kind: "reserved",
      });
    }
  }),

  toRace("reserve: concurrent copies of one reservation count once", async (handles) => {
    for (let round = 0; round < 8; round++) {
      const budget = sampleBudget(`key-${round}`, { limit: 2 });
      const outcomes = await race(handles, 8, (store) =>
        reserve(store, `same-${round}`, 5_000, budget),
      );
      const same = { kind: "reserved", reservationId: `same-${round}` };
      expect(outcomes).toEqual(Array(8).fill(same));
      const others = await race(handles, 4, (store, racer) =>
        reserve(store, `${round}-${racer}`, 5_000, budget),
      );
      expect(others.filter(({ kind }) => kind === "reserved")).toHaveLength(1);
      expect((await spentKeys(handles[0])).filter((key) => key === budget.key)).toHaveLength(1);
    }
  }),
];
