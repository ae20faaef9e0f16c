import type { AlertRuleAnswer, DeviceSummary } from "@device-gateway/core/contract";
import { useState } from "preact/hooks";
import { type CallFailure, call } from "../api/call.js";
import * as alertsText from "../text/alerts.js";
import { Dialog } from "../ui/dialog.js";
import { formatDuration } from "../ui/format.js";
import { ErrorNotice, Field, Select } from "../ui/parts.js";
import { showToast } from "../ui/toast.js";
import { ConditionFields } from "./condition-fields.js";
import type { ConditionKind } from "./describe-condition.js";
import { readRule } from "./read-rule.js";
import { ruleAppliesTo } from "./rule-applies-to.js";
import type { AlertScope } from "./use-alerts.js";

const reminders: readonly (readonly [string, string])[] = [
  ["0", alertsText.never],
  ["3600", alertsText.hourly],
  ["86400", alertsText.daily],
  ["604800", alertsText.weekly],
];

/** Returns the choices for reminders. A rule that the API made may have another interval. */
function reminderOptions(seconds: number | null) {
  const value = String(seconds ?? 0);
  if (reminders.some(([known]) => known === value)) return reminders;
  const label = alertsText.otherReminder(formatDuration(seconds ?? 0));
  return [...reminders, [value, label] as const];
}

interface RuleDialogProps {
  readonly scope: AlertScope;
  /** The rule to change. Undefined for a new rule. */
  readonly rule: AlertRuleAnswer | undefined;
  /** The device on whose page the rule is created. */
  readonly device: DeviceSummary | undefined;
  /** The devices that a rule can apply to. */
  readonly devices: readonly DeviceSummary[];
  readonly onClose: (changed: boolean) => void;
}

/** Returns what a new rule can apply to, as the value and the label of an option. */
function targetOptions({ scope, device, devices }: RuleDialogProps) {
  const hardware = new Set(devices.map(({ targetHardware }) => targetHardware));
  const options: (readonly [string, string])[] = [];
  if (device && scope === "own")
    options.push([`device:${device.id}`, alertsText.onlyDevice(device.name)]);
  options.push(["all", scope === "own" ? alertsText.allMine : alertsText.wholeFleetOption]);
  for (const one of [...hardware].sort()) {
    options.push([`hardware:${one}`, alertsText.onlyHardware(one)]);
  }
  return options;
}

function readTarget(form: FormData) {
  const [, kind, value] = /^(device|hardware):(.*)$/s.exec(String(form.get("target"))) ?? [];
  if (kind === undefined) return {};
  return kind === "device" ? { deviceId: value } : { targetHardware: value };
}

/** Creates or changes an alert rule. */
export function RuleDialog(props: RuleDialogProps) {
  const { scope, rule, devices, onClose } = props;
  const [kind, setKind] = useState<ConditionKind>(rule?.condition.kind ?? "silent");
  const [failure, setFailure] = useState<CallFailure | undefined>();
  const [busy, setBusy] = useState(false);
  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const fields = readRule(form);
    setBusy(true);
    const reply = rule
      ? await call("changeAlertRule", { params: { ruleId: rule.id }, body: fields })
      : await call("createAlertRule", {
          query: { scope },
          body: { ...fields, ...readTarget(form) },
        });
    setBusy(false);
    if (!reply.ok) return setFailure(reply.failure);
    showToast(rule ? alertsText.savedToast : alertsText.createdToast);
    onClose(true);
  };
  const kinds = Object.entries(alertsText.kinds).filter(
    ([name]) => scope === "operator" || name !== "rollout_halted",
  );
  return (
    <Dialog
      title={rule ? alertsText.editTitle : alertsText.createTitle}
      onClose={() => onClose(false)}
    >
      <form class="form" onSubmit={(event) => void save(event)}>
        <Select
          id="kind"
          name="kind"
          label={alertsText.condition}
          options={kinds}
          defaultValue={kind}
          onChange={(value) => setKind(value as ConditionKind)}
        />
        {/* The key shows the fields and the name of another kind. */}
        <div class="form" key={kind}>
          <ConditionFields
            kind={kind}
            before={rule?.condition}
            devices={rule ? devices.filter(ruleAppliesTo(rule)) : devices}
          />
          <Field
            id="rule-name"
            name="name"
            label={alertsText.name}
            hint={alertsText.nameHint}
            defaultValue={rule?.name ?? alertsText.defaultNames[kind]}
            maxLength={128}
            autocomplete="off"
            required
          />
        </div>
        {rule === undefined && kind !== "rollout_halted" && (
          <Select
            id="target"
            name="target"
            label={alertsText.appliesTo}
            options={targetOptions(props)}
          />
        )}
        <Select
          id="reminder"
          name="reminder"
          label={alertsText.reminder}
          options={reminderOptions(rule?.reminderSeconds ?? null)}
          defaultValue={String(rule?.reminderSeconds ?? 0)}
        />
        <ErrorNotice failure={failure} />
        <div class="actions">
          <button type="submit" class="button primary" disabled={busy}>
            {rule ? alertsText.save : alertsText.create}
          </button>
          <button type="button" class="button quiet" onClick={() => onClose(false)}>
            {alertsText.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
