import type { Alert, AlertRule, AlertStore } from "@device-gateway/core/store";
import {
  createFiringBudget,
  type FiringBudget,
  mostInSuccession,
  spentBy,
} from "./firing-budget.js";

/** Enough to include every alert that can still count against the budget of one of an owner's 50 rules. */
const latestAlerts = 50 * 2 * mostInSuccession;

/**
 * Creates the budgets of rules about events. The stored alerts say what is spent, because the watch of the fleet has no
 * place for each device.
 */
export function createEventBudgets(
  store: Pick<AlertStore, "list">,
  now: number,
): { takeBudget(rule: AlertRule, deviceId: string): Promise<boolean> } {
  const lists = new Map<string, Promise<readonly Alert[]>>();
  const budgets = new Map<string, FiringBudget>();

  function listAlerts(ownerId: string | null, deviceId: string): Promise<readonly Alert[]> {
    const key = JSON.stringify([ownerId, deviceId]);
    const query = { ownerId, deviceId, firing: false, before: null, limit: latestAlerts };
    const listed = lists.get(key) ?? store.list(query);
    lists.set(key, listed);
    return listed;
  }

  async function budgetOf({ id, ownerId }: AlertRule, deviceId: string): Promise<FiringBudget> {
    const key = `${id} ${deviceId}`;
    const alerts = await listAlerts(ownerId, deviceId);
    const times = alerts.flatMap(({ ruleId, firedAt }) => (ruleId === id ? [firedAt] : []));
    const budget = budgets.get(key) ?? createFiringBudget(spentBy(id, times, now), now);
    budgets.set(key, budget);
    return budget;
  }

  return {
    /** Returns whether a rule may fire about a device now, and counts the alert if so. */
    async takeBudget(rule, deviceId) {
      const budget = await budgetOf(rule, deviceId);
      if (!budget.mayFire(rule.id)) return false;
      budget.spend(rule.id);
      return true;
    },
  };
}
