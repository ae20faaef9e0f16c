import type { Condition, ConditionKind } from "./describe-condition.js";

/** Returns the condition that the fields of a form describe. */
function readCondition(form: FormData): Condition {
  const kind = String(form.get("kind")) as ConditionKind;
  const number = (name: string) => Number(form.get(name));
  if (kind === "silent") return { kind, intervals: number("intervals") };
  if (kind !== "above" && kind !== "below") return { kind };
  const clearAt = String(form.get("clearAt")).trim();
  return {
    kind,
    metric: String(form.get("metric")).trim(),
    threshold: number("threshold"),
    holdSeconds: number("holdSeconds"),
    ...(clearAt !== "" && { clearAt: Number(clearAt) }),
  };
}

/** Returns the fields of a rule, without those that only a new rule has. */
export function readRule(form: FormData) {
  const reminder = Number(form.get("reminder"));
  return {
    name: String(form.get("name")).trim(),
    condition: readCondition(form),
    reminderSeconds: reminder === 0 ? null : reminder,
  };
}
