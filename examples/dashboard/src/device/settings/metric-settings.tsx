import {
  describeMetric,
  type MetricsAnswer,
  type MetricsPatch,
  toGeneralName,
} from "@device-gateway/core/contract";
import { useLayoutEffect, useState } from "preact/hooks";
import { type CallFailure, call } from "../../api/call.js";
import { forgetFormats } from "../../series/hardware-formats.js";
import { metricNames } from "../../series/metric-names.js";
import * as deviceSettingsText from "../../text/device-settings.js";
import * as text from "../../text/metric-settings.js";
import { Card, ErrorNotice, Field, Skeleton } from "../../ui/parts.js";
import { showToast } from "../../ui/toast.js";
import { joinFailures, useLoad } from "../../ui/use-load.js";
import { useSaving } from "../../ui/use-saving.js";
import { useUnsaved } from "../../unsaved.js";
import { type MetricField, type MetricValues, toMetricChanges } from "./metric-changes.js";

interface MetricFormProps {
  readonly unsaved: ReturnType<typeof useUnsaved>;
  /** The descriptions that the page has read. */
  readonly described: MetricsAnswer;
  /** The placeholders: what the embedder declared. */
  readonly declared: MetricValues;
  readonly own: MetricValues;
  readonly onSave: (changes: MetricsPatch[string]) => Promise<boolean>;
}

/** Edits how one metric is shown. An empty field stands for what the server's program declares. */
function MetricForm({ unsaved, described, declared, own, onSave }: MetricFormProps) {
  const { blocked, run } = useSaving(described);
  // A form that is removed has no changes any more. An effect would end only after the next form can be edited.
  useLayoutEffect(() => unsaved.onSaved, []);
  const save = (event: SubmitEvent) => {
    event.preventDefault();
    // Another operator may have changed the other fields since.
    const changes = toMetricChanges(new FormData(event.currentTarget as HTMLFormElement), own);
    if (Object.keys(changes).length === 0) return showToast(deviceSettingsText.nothingToSave);
    void run(async () => {
      const isSaved = await onSave(changes);
      if (isSaved) unsaved.onSaved();
      return isSaved;
    });
  };
  const field = (name: MetricField) => ({
    ...{ id: `metric-${name}`, name, label: text.fields[name] },
    defaultValue: String(own[name] ?? ""),
    placeholder: String(declared[name] ?? text.placeholders[name]),
  });
  return (
    <fieldset class="plain-set" disabled={blocked}>
      <form class="form" onInput={unsaved.onInput} onSubmit={save}>
        <div class="form-row">
          <Field {...field("displayName")} maxLength={64} hint={text.displayNameHint} />
          <Field {...field("unit")} maxLength={16} />
          <Field {...field("decimals")} type="number" min={0} max={9} step={1} />
        </div>
        <div class="form-row">
          <Field {...field("min")} type="number" step="any" hint={text.rangeHint} />
          <Field {...field("max")} type="number" step="any" />
        </div>
        <div>
          <button type="submit" class="button">
            {text.save}
          </button>
        </div>
      </form>
    </fieldset>
  );
}

interface MetricSettingsProps {
  readonly deviceId: string;
  readonly targetHardware: string;
}

/** Lets an operator set how the metrics of a target hardware are shown. */
export function MetricSettings({ deviceId, targetHardware }: MetricSettingsProps) {
  const query = { targetHardware };
  const described = useLoad(targetHardware, (signal) =>
    call("readHardwareMetrics", { query, signal }),
  );
  const latest = useLoad(deviceId, (signal) =>
    call("readDevice", { params: { deviceId }, signal }),
  );
  const [chosen, setChosen] = useState<string | undefined>();
  const [failure, setFailure] = useState<CallFailure | undefined>();
  const unsaved = useUnsaved();
  const unread = joinFailures(described, latest);
  if (described.value === undefined || latest.value === undefined) {
    return unread.failure ? <ErrorNotice {...unread} /> : <Skeleton height={320} />;
  }
  const { metrics, declared } = described.value;
  const known = [...Object.keys(metrics), ...Object.keys(declared)];
  const sent = metricNames(latest.value.telemetry).map(toGeneralName);
  const names = [...new Set([...sent, ...known])];
  const name = chosen ?? names[0];
  const onSave = async (changes: MetricsPatch[string]) => {
    const body: MetricsPatch = { [name ?? ""]: changes };
    const reply = await call("changeHardwareMetrics", { query, body });
    setFailure(reply.ok ? undefined : reply.failure);
    if (!reply.ok) return false;
    forgetFormats(targetHardware);
    described.reload();
    showToast(text.saved);
    return true;
  };
  const choose = (select: HTMLSelectElement) => {
    if (unsaved.mayDiscard()) setChosen(select.value);
    else select.value = name ?? "";
  };
  return (
    <Card title={text.title(targetHardware)} hint={text.hint}>
      {name === undefined ? (
        <p class="muted">{text.nothingYet}</p>
      ) : (
        <div class="form">
          <ErrorNotice {...unread} />
          <div class="field">
            <label for="metric">{text.metric}</label>
            <select
              id="metric"
              class="input"
              value={name}
              onChange={(event) => choose(event.currentTarget)}
            >
              {names.map((one) => {
                const { displayName } = {
                  ...describeMetric(declared, one),
                  ...describeMetric(metrics, one),
                };
                return (
                  <option key={one} value={one}>
                    {displayName === undefined ? one : `${displayName} · ${one}`}
                  </option>
                );
              })}
            </select>
          </div>
          <MetricForm
            // A late response to the saving of another metric must not replace what is being typed.
            key={`${name} ${JSON.stringify(metrics[name])}`}
            unsaved={unsaved}
            described={described.value}
            declared={declared[name] ?? {}}
            own={metrics[name] ?? {}}
            onSave={onSave}
          />
          <ErrorNotice failure={failure} />
        </div>
      )}
    </Card>
  );
}
