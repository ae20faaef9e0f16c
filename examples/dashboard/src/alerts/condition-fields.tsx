import type { DeviceSummary } from "@device-gateway/core/contract";
import { useState } from "preact/hooks";
import * as alertsText from "../text/alerts.js";
import { Field, Select, Skeleton } from "../ui/parts.js";
import type { Condition, ConditionKind } from "./describe-condition.js";
import { useKnownMetrics } from "./known-metrics.js";

type Level = Extract<Condition, { kind: "above" | "below" }>;

interface ConditionFieldsProps {
  readonly kind: ConditionKind;
  /** The rule's condition before the change. Undefined for a new rule. */
  readonly before: Condition | undefined;
  /** The devices that the rule can apply to. */
  readonly devices: readonly DeviceSummary[];
}

interface LevelFieldsProps extends Pick<ConditionFieldsProps, "devices"> {
  readonly kind: Level["kind"];
  readonly before: Level | undefined;
}

/** The option after which the user types the name of a metric. */
const otherMetric = "";

/** The fields of a condition on a metric's value. */
function LevelFields({ kind, before, devices }: LevelFieldsProps) {
  const { names, formatOf } = useKnownMetrics(devices);
  const [chosen, setChosen] = useState(before?.metric);
  if (names === undefined) return <Skeleton height={220} />;
  const known = [...new Set([...names, ...(before ? [before.metric] : [])])];
  const metric = chosen ?? known[0] ?? otherMetric;
  const { unit } = formatOf(metric);
  const withUnit = (label: string) =>
    unit === undefined ? label : alertsText.labelWithUnit(label, unit);
  const options = known.map((name): [string, string] => {
    const { name: shown } = formatOf(name);
    return [name, shown === name ? name : alertsText.metricOption(shown, name)];
  });
  return (
    <>
      {known.length > 0 && (
        <Select
          id="metric"
          name={metric === otherMetric ? "chosen" : "metric"}
          label={alertsText.metric}
          options={[...options, [otherMetric, alertsText.otherMetric]]}
          defaultValue={metric}
          onChange={setChosen}
        />
      )}
      {metric === otherMetric && (
        <Field
          id="other-metric"
          name="metric"
          label={alertsText.metricName}
          hint={alertsText.metricHint}
          maxLength={128}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          required
        />
      )}
      <div class="form-row">
        <Field
          id="threshold"
          name="threshold"
          type="number"
          step="any"
          label={withUnit(kind === "above" ? alertsText.above : alertsText.below)}
          defaultValue={before?.threshold ?? ""}
          required
        />
        <Field
          id="clear-at"
          name="clearAt"
          type="number"
          step="any"
          label={withUnit(alertsText.clearAt)}
          hint={alertsText.clearAtHint}
          defaultValue={before?.clearAt ?? ""}
        />
      </div>
      <Field
        id="hold-seconds"
        name="holdSeconds"
        type="number"
        label={alertsText.holdSeconds}
        hint={alertsText.holdSecondsHint}
        defaultValue={before?.holdSeconds ?? 0}
        min={0}
        max={604_800}
        required
      />
    </>
  );
}

/** The fields of a condition of one kind. `readCondition` reads them. */
export function ConditionFields({ kind, before, devices }: ConditionFieldsProps) {
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
  return <LevelFields kind={kind} before={level} devices={devices} />;
}
