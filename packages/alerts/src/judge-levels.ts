import {
  type Alert,
  type AlertRule,
  type AlertTransition,
  flattenRecord,
  type StoredTelemetryRecord,
} from "@device-gateway/core/store";
import { type LevelCondition, nextLevel } from "./level-state.js";
import type { Subject, Transitions } from "./transitions.js";
import type { NotedLevel } from "./watch-notes.js";

type LevelRule = AlertRule & { readonly condition: LevelCondition };

export const isLevelRule = (rule: AlertRule): rule is LevelRule =>
  rule.condition.kind === "above" || rule.condition.kind === "below";

/** The alerts that fire, by rule. Judgements change it. */
export type FiringAlerts = Map<string, Alert>;

/**
 * Judges one record by the rules about levels. Changes `levels` and `firing`, and returns the transitions.
 */
export function judgeRecord(
  rules: readonly LevelRule[],
  record: Pick<StoredTelemetryRecord, "at" | "value">,
  about: Subject,
  state: {
    readonly levels: Map<string, NotedLevel>;
    readonly firing: FiringAlerts;
    readonly transitions: Transitions;
  },
): AlertTransition[] {
  if (rules.length === 0) return [];
  const { levels, firing, transitions } = state;
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
    levels.set(id, { revision, since: after.since });
    const measured = { value, measuredAt: record.at };
    if (alert === undefined && after.firing) {
      const transition = transitions.fire(rule, about, measured);
      firing.set(id, transition.alert);
      found.push(transition);
    } else if (alert !== undefined && !after.firing) {
      found.push(transitions.clear(rule, alert, measured));
      firing.delete(id);
    }
  }
  return found;
}
