import type { AlertRuleAnswer, DeviceSummary } from "@device-gateway/core/contract";
import { useState } from "preact/hooks";
import { type CallFailure, call } from "../api/call.js";
import { onePerHardware, useHardwareFormats } from "../series/hardware-formats.js";
import * as alertsText from "../text/alerts.js";
import { Confirm } from "../ui/confirm.js";
import { formatTime } from "../ui/format.js";
import { Badge, ErrorNotice } from "../ui/parts.js";
import { showToast } from "../ui/toast.js";
import { useNow } from "../ui/use-now.js";
import { describeCondition } from "./describe-condition.js";
import { maxHardware } from "./known-metrics.js";
import { MuteDialog } from "./mute-dialog.js";
import { ruleAppliesTo } from "./rule-applies-to.js";

type Asking = "mute" | "remove";

interface RuleListProps {
  readonly rules: readonly AlertRuleAnswer[];
  /** The devices that the rules can apply to. */
  readonly devices: readonly DeviceSummary[];
  readonly onEdit: (rule: AlertRuleAnswer) => void;
  readonly reload: () => void;
}

/** Says when a rule fires, with the names that its devices' metrics have. */
function WhenItFires({
  rule,
  devices,
}: { rule: AlertRuleAnswer } & Pick<RuleListProps, "devices">) {
  const formatOf = useHardwareFormats(
    onePerHardware(devices.filter(ruleAppliesTo(rule)), maxHardware),
  );
  return <>{describeCondition(rule.condition, formatOf)}</>;
}

function describeTarget({ deviceId, targetHardware, scope }: AlertRuleAnswer): string {
  if (deviceId !== null) return alertsText.onlyDevice(deviceId);
  if (targetHardware !== null) return alertsText.onlyHardware(targetHardware);
  return scope === "own" ? alertsText.allMine : alertsText.wholeFleetOption;
}

/** Lists rules, and lets the user change, mute and delete them. */
export function RuleList({ rules, devices, onEdit, reload }: RuleListProps) {
  const now = useNow(5_000);
  const [asked, setAsked] = useState<readonly [Asking, AlertRuleAnswer] | undefined>();
  const [failure, setFailure] = useState<CallFailure | undefined>();
  const [busy, setBusy] = useState(false);
  const [asking, rule] = asked ?? [];
  const close = () => setAsked(undefined);
  const setMute = (ruleId: string, mutedUntil: number | null) =>
    call("changeAlertRule", { params: { ruleId }, body: { mutedUntil } });
  const unmute = async ({ id }: AlertRuleAnswer) => {
    const reply = await setMute(id, null);
    setFailure(reply.ok ? undefined : reply.failure);
    if (reply.ok) showToast(alertsText.unmutedToast);
    reload();
  };
  const remove = async ({ id }: AlertRuleAnswer) => {
    setBusy(true);
    const reply = await call("removeAlertRule", { params: { ruleId: id } });
    setBusy(false);
    close();
    setFailure(reply.ok ? undefined : reply.failure);
    if (reply.ok) showToast(alertsText.removedToast);
    reload();
  };
  return (
    <>
      <ErrorNotice failure={failure} />
      <ul class="entries">
        {rules.map((one) => {
          const isMuted = one.mutedUntil !== null && Date.parse(one.mutedUntil) > now;
          return (
            <li class="entry" key={one.id}>
              <div class="entry-text">
                <h3 class="line">
                  {one.name}
                  {isMuted && (
                    <Badge>{alertsText.mutedUntil(formatTime(one.mutedUntil ?? 0))}</Badge>
                  )}
                </h3>
                <p class="small muted">
                  <WhenItFires rule={one} devices={devices} /> · {describeTarget(one)}
                </p>
              </div>
              <div class="actions">
                <button
                  type="button"
                  class="button small"
                  aria-label={alertsText.editNamed(one.name)}
                  onClick={() => onEdit(one)}
                >
                  {alertsText.edit}
                </button>
                <button
                  type="button"
                  class="button small quiet"
                  aria-label={
                    isMuted ? alertsText.unmuteNamed(one.name) : alertsText.muteNamed(one.name)
                  }
                  onClick={() => (isMuted ? void unmute(one) : setAsked(["mute", one]))}
                >
                  {isMuted ? alertsText.unmute : alertsText.mute}
                </button>
                <button
                  type="button"
                  class="button small quiet"
                  aria-label={alertsText.removeNamed(one.name)}
                  onClick={() => setAsked(["remove", one])}
                >
                  {alertsText.remove}
                </button>
              </div>
            </li>
          );
        })}
      </ul>
      {rule && asking === "mute" && (
        <MuteDialog
          rule={rule.name}
          hint={alertsText.muteRuleHint}
          mute={(until) => setMute(rule.id, until)}
          onClose={() => {
            close();
            reload();
          }}
        />
      )}
      {rule && asking === "remove" && (
        <Confirm
          title={alertsText.removeTitle(rule.name)}
          action={alertsText.removeRule}
          busy={busy}
          onConfirm={() => void remove(rule)}
          onCancel={close}
        >
          <p class="muted">{alertsText.removeHint}</p>
        </Confirm>
      )}
    </>
  );
}
