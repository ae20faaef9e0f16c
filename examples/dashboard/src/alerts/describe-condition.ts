import type { AlertRuleAnswer } from "@device-gateway/core/contract";
import * as alertsText from "../text/alerts.js";
import { formatDuration, formatNumber } from "../ui/format.js";

export type Condition = AlertRuleAnswer["condition"];
export type ConditionKind = Condition["kind"];

function describeLevel(condition: Extract<Condition, { kind: "above" | "below" }>): string {
  const describe = condition.kind === "above" ? alertsText.describeAbove : alertsText.describeBelow;
  const level = describe(condition.metric, formatNumber(condition.threshold));
  const { holdSeconds } = condition;
  return holdSeconds === 0 ? level : alertsText.describeHold(level, formatDuration(holdSeconds));
}

/** Says in a few words when a rule fires. */
export function describeCondition(condition: Condition): string {
  switch (condition.kind) {
    case "silent":
      return alertsText.describeSilent(condition.intervals);
    case "update_failed":
      return alertsText.describeUpdateFailed;
    case "rollout_halted":
      return alertsText.describeRolloutHalted;
    default:
      return describeLevel(condition);
  }
}
