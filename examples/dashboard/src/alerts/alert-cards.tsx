import type { AlertRuleAnswer, DeviceSummary } from "@device-gateway/core/contract";
import { useState } from "preact/hooks";
import { isOperator } from "../session.js";
import * as alertsText from "../text/alerts.js";
import { formatTime } from "../ui/format.js";
import { Card, EmptyState, ErrorNotice, Notice, Skeleton } from "../ui/parts.js";
import { AlertList } from "./alert-list.js";
import { ruleAppliesTo } from "./rule-applies-to.js";
import { RuleDialog } from "./rule-dialog.js";
import { RuleList } from "./rule-list.js";
import { type AlertScope, type LoadedRules, useAlerts, useRules } from "./use-alerts.js";

const pageSize = 50;
/** The server evaluates rules each second. After a minute without, the page says so. */
const lateMs = 60_000;

interface AlertCardsProps {
  readonly scope: AlertScope;
  /** Shows only what concerns this device. */
  readonly device?: DeviceSummary;
  /** The devices that rules can apply to. */
  readonly devices: readonly DeviceSummary[];
}

/** Says so if no rule is evaluated at the moment. */
function Evaluation({ value, at }: LoadedRules) {
  if (value === undefined || value.rules.length === 0) return null;
  // A server without rules evaluates nothing, so the time counts from the newest rule.
  const times = [value.evaluatedAt, ...value.rules.map(({ createdAt }) => createdAt)];
  const latest = Math.max(...times.map((time) => (time === null ? 0 : Date.parse(time))));
  if (at - latest < lateMs) return null;
  if (value.evaluatedAt === null) return <Notice tone="warn">{alertsText.notEvaluated}</Notice>;
  return <Notice tone="warn">{alertsText.evaluatedLongAgo(formatTime(value.evaluatedAt))}</Notice>;
}

function FiringCard({ scope, device }: AlertCardsProps) {
  const [state, setState] = useState<"firing" | "all">("firing");
  const [limit, setLimit] = useState(pageSize);
  const { value, failure, reload } = useAlerts({
    ...{ scope, state, limit },
    ...(device && { deviceId: device.id }),
  });
  const isHistory = state === "all";
  return (
    <Card
      title={isHistory ? alertsText.history : alertsText.firing}
      {...(isHistory && { hint: alertsText.historyHint })}
      flush
      actions={
        <button
          type="button"
          class="button small"
          onClick={() => setState(isHistory ? "firing" : "all")}
        >
          {isHistory ? alertsText.hideHistory : alertsText.showHistory}
        </button>
      }
    >
      <ErrorNotice failure={failure} retry={reload} />
      {value === undefined && failure === undefined && <Skeleton height={120} />}
      {value?.alerts.length === 0 && (
        <EmptyState title={isHistory ? alertsText.noAlertsYet : alertsText.nothingFires}>
          <p>{isHistory ? alertsText.noAlertsYetHint : alertsText.nothingFiresHint}</p>
        </EmptyState>
      )}
      {value && value.alerts.length > 0 && (
        <AlertList alerts={value.alerts} named={device === undefined} reload={reload} />
      )}
      {value?.nextCursor && limit < 200 && (
        <div class="card-body">
          <button type="button" class="button small" onClick={() => setLimit(200)}>
            {alertsText.showMore}
          </button>
        </div>
      )}
    </Card>
  );
}

/** Whether a rule is shown on the page of a device. */
const isFor = (rule: AlertRuleAnswer, device: DeviceSummary) =>
  ruleAppliesTo(rule)(device) && rule.condition.kind !== "rollout_halted";

interface EditorProps extends AlertCardsProps {
  readonly editing: AlertRuleAnswer | "new";
  readonly onClose: (changed: boolean) => void;
}

const Editor = ({ editing, scope, device, devices, onClose }: EditorProps) => (
  <RuleDialog
    scope={scope}
    rule={editing === "new" ? undefined : editing}
    device={device}
    devices={devices}
    onClose={onClose}
  />
);

/** Shows what fires, and the rules. */
export function AlertCards(props: AlertCardsProps) {
  const { scope, device, devices } = props;
  const rules = useRules(scope);
  const [editing, setEditing] = useState<AlertRuleAnswer | "new" | undefined>();
  const { value, failure, reload } = rules;
  const shown = (value?.rules ?? []).filter((rule) => device === undefined || isFor(rule, device));
  const isEmpty = value !== undefined && shown.length === 0;
  return (
    <div class="stack">
      <Evaluation {...rules} />
      {!isEmpty && <FiringCard {...props} />}
      <Card
        title={device ? alertsText.ofDevice : alertsText.rules}
        {...(device && { hint: alertsText.ofDeviceHint })}
        flush
        actions={
          !isEmpty && (
            <button type="button" class="button small" onClick={() => setEditing("new")}>
              {alertsText.newRule}
            </button>
          )
        }
      >
        <ErrorNotice failure={failure} retry={reload} />
        {value === undefined && failure === undefined && <Skeleton height={120} />}
        {isEmpty && (
          <EmptyState
            title={alertsText.noRulesYet}
            actions={
              <button type="button" class="button primary" onClick={() => setEditing("new")}>
                {alertsText.createFirstRule}
              </button>
            }
          >
            <p>
              {scope === "operator" && isOperator.value
                ? alertsText.noOperatorRulesHint
                : alertsText.noRulesHint}
            </p>
          </EmptyState>
        )}
        {shown.length > 0 && (
          <RuleList rules={shown} devices={devices} onEdit={setEditing} reload={reload} />
        )}
      </Card>
      {editing && (
        <Editor
          {...props}
          editing={editing}
          onClose={(changed) => {
            setEditing(undefined);
            if (changed) reload();
          }}
        />
      )}
    </div>
  );
}
