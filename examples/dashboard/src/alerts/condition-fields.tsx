import * as alertsText from "../text/alerts.js";
import { Field } from "../ui/parts.js";
import type { Condition, ConditionKind } from "./describe-condition.js";

interface ConditionFieldsProps {
  readonly kind: ConditionKind;
  /** The rule's condition before the change. Undefined for a new rule. */
  readonly before: Condition | undefined;
}

/** The fields of a condition of one kind. `readCondition` reads them. */
export function ConditionFields({ kind, before }: ConditionFieldsProps) {
  if (kind === "silent") {
    return (
      <Field
        id="intervals"
        name="intervals"
        type="number"
        label={alertsText.intervals}
        hint={alertsText.intervalsHint}
        defaultValue={before?.kind === "silent" ? before.intervals : 5}
        min={2}
        max={10_000}
        required
      />
    );
  }
  if (kind !== "above" && kind !== "below") return null;
  const level = before?.kind === "above" || before?.kind === "below" ? before : undefined;
  return (
    <>
      <Field
        id="metric"
        name="metric"
        label={alertsText.metric}
        hint={alertsText.metricHint}
        defaultValue={level?.metric ?? ""}
        maxLength={128}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        required
      />
      <div class="form-row">
        <Field
          id="threshold"
          name="threshold"
          type="number"
          step="any"
          label={kind === "above" ? alertsText.above : alertsText.below}
          defaultValue={level?.threshold ?? ""}
          required
        />
        <Field
          id="clear-at"
          name="clearAt"
          type="number"
          step="any"
          label={alertsText.clearAt}
          hint={alertsText.clearAtHint}
          defaultValue={level?.clearAt ?? ""}
        />
      </div>
      <Field
        id="hold-seconds"
        name="holdSeconds"
        type="number"
        label={alertsText.holdSeconds}
        hint={alertsText.holdSecondsHint}
        defaultValue={level?.holdSeconds ?? 0}
        min={0}
        max={604_800}
        required
      />
    </>
  );
}
