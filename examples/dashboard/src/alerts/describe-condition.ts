import type { AlertRuleAnswer } from "@device-gateway/core/contract";
import type { FormatOf } from "../series/metric-format.js";
import * as alertsText from "../text/alerts.js";
import { formatDuration, formatExact } from "../ui/format.js";

export type Condition = AlertRuleAnswer["condition"];
export type ConditionKind = Condition["kind"];

function describeLevel(
  condition: Extract<Condition, { kind: "above" | "below" }>,
  formatOf: FormatOf,
): string {
  const describe = condition.kind === "above" ? alertsText.describeAbove : alertsText.describeBelow;
  const { name, unit } = formatOf(condition.metric);
  const threshold = formatExact(condition.threshold);
  const level = describe(name, unit === undefined ? threshold : `${threshold} ${unit}`);
  const { holdSeconds } = condition;
  return holdSeconds === 0 ? level : alertsText.describeHold(level, formatDuration(holdSeconds));
}

/** Says in a few words when a rule fires. */
export function describeCondition(condition: Condition, formatOf: FormatOf): string {
  switch (condition.kind) {
    case "silent":
      return alertsText.describeSilent(condition.intervals);
    case "update_failed":
      return alertsText.describeUpdateFailed;
    case "rollout_halted":
      return alertsText.describeRolloutHalted;
    default:
      return describeLevel(condition, formatOf);
  }
}
