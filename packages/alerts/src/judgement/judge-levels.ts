import {
  type Alert,
  type AlertRule,
  type AlertTransition,
  flattenRecord,
  type StoredTelemetryRecord,
} from "@device-gateway/core/store";
import type { FiringBudget } from "./firing-budget.js";
import { type LevelCondition, nextLevel } from "./level-state.js";
import type { Subject, Transitions } from "./transitions.js";
import type { Measurement, NotedLevel } from "./watch-notes.js";

type LevelRule = AlertRule & { readonly condition: LevelCondition };

export const isLevelRule = (rule: AlertRule): rule is LevelRule =>
  rule.condition.kind === "above" || rule.condition.kind === "below";

/** The alerts that fire, by rule. Judgements change it. */
export type FiringAlerts = Map<string, Alert>;

/** What the rules about levels know of a device. Judgements change `levels`, `firing` and `budget`. */
interface LevelFacts {
  readonly levels: Map<string, NotedLevel>;
  readonly firing: FiringAlerts;
  readonly budget: FiringBudget;
  readonly transitions: Transitions;
}

/** Fires an alert, or lets it wait until the rule's budget allows it. */
function fireOrWait(
  rule: LevelRule,
  about: Subject,
  { waiting, since }: { readonly waiting: Measurement; readonly since: number },
  { levels, firing, budget, transitions }: LevelFacts,
): AlertTransition[] {
  const { id, revision } = rule;
  if (!budget.mayFire(id)) {
    levels.set(id, { revision, since, waiting });
    return [];
  }
  budget.spend(id);
  levels.set(id, { revision, since: null, waiting: null });
  const transition = transitions.fire(rule, about, waiting);
  firing.set(id, transition.alert);
  return [transition];
}

/** Fires the alerts that wait, as far as the budget allows it. Returns the transitions and when the next one may fire. */
export function judgeWaiting(
  rules: readonly LevelRule[],
  about: Subject,
  facts: LevelFacts,
): { readonly transitions: readonly AlertTransition[]; readonly dueAt: number } {
  const transitions: AlertTransition[] = [];
  let dueAt = Number.POSITIVE_INFINITY;
  for (const rule of rules) {
    const { revision, since = null, waiting = null } = facts.levels.get(rule.id) ?? {};
    if (waiting === null || revision !== rule.revision) continue;
    const fired = fireOrWait(rule, about, { waiting, since: since ?? waiting.measuredAt }, facts);
    transitions.push(...fired);
    if (fired.length === 0) dueAt = Math.min(dueAt, facts.budget.nextAt(rule.id));
  }
  return { transitions, dueAt };
}

/** Judges one record by the rules about levels. Returns the transitions. */
export function judgeRecord(
  rules: readonly LevelRule[],
  record: Pick<StoredTelemetryRecord, "at" | "value">,
  about: Subject,
  facts: LevelFacts,
): AlertTransition[] {
  if (rules.length === 0) return [];
  const { levels, firing, transitions } = facts;
  const metrics = new Map(flattenRecord(record.value).map(({ name, value }) => [name, value]));
  const found: AlertTransition[] = [];
  for (const rule of rules) {
    const { id, revision, condition } = rule;
    const value = metrics.get(condition.metric);
    if (value === undefined) continue;
    const noted = levels.get(id);
    const alert = firing.get(id);
    const before = {
      firing: alert !== undefined,
      since: noted?.revision === revision ? noted.since : null,
    };
    const after = nextLevel(condition, before, record.at, value);
    const measured = { value, measuredAt: record.at };
    levels.set(id, { revision, since: after.since, waiting: null });
    if (alert === undefined && after.firing) {
      const since = before.since ?? record.at;
      found.push(...fireOrWait(rule, about, { waiting: measured, since }, facts));
    } else if (alert !== undefined && !after.firing) {
      found.push(transitions.clear(rule, alert, measured));
      firing.delete(id);
    }
  }
  return found;
}
