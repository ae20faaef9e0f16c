import type { z } from "zod";
import type { AlertCondition as ConditionInput, FieldError } from "../contract/index.js";
import type { AlertCondition } from "./alert-rule.js";

type GivenCondition = z.output<typeof ConditionInput>;

/** Fills in the default of the value at which an alert clears. */
export function toCondition(given: GivenCondition): AlertCondition {
  return "metric" in given ? { ...given, clearAt: given.clearAt ?? given.threshold } : given;
}

/** Returns what is wrong with a condition. */
export function checkCondition(
  condition: AlertCondition,
  ownerId: string | null,
): readonly FieldError[] {
  if (condition.kind === "rollout_halted" && ownerId !== null) {
    const message = "Only operators have rules about rollouts. Choose another kind.";
    return [{ path: "condition.kind", code: "invalid_value", message }];
  }
  if (condition.kind !== "above" && condition.kind !== "below") return [];
  const { kind, threshold, clearAt } = condition;
  const isReachable = kind === "above" ? clearAt <= threshold : clearAt >= threshold;
  if (isReachable) return [];
  const bound = kind === "above" ? "at most" : "at least";
  return [
    {
      path: "condition.clearAt",
      code: "custom",
      message: `Send a value that is ${bound} the threshold.`,
    },
  ];
}
