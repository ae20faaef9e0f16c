import type { AlertAnswer } from "@device-gateway/core/contract";
import { useState } from "preact/hooks";
import { type CallFailure, call, type Reply } from "../api/call.js";
import { devicePath, Link } from "../router.js";
import * as alertsText from "../text/alerts.js";
import { formatAgo, formatExact, formatTime } from "../ui/format.js";
import { ErrorNotice, Status } from "../ui/parts.js";
import { showToast } from "../ui/toast.js";
import { useNow } from "../ui/use-now.js";
import { MuteDialog } from "./mute-dialog.js";

interface LineProps {
  readonly alert: AlertAnswer;
  readonly now: number;
  /** Whether the alert names its device. Not on the page of the device. */
  readonly named: boolean;
  readonly act: (sent: Promise<Reply<unknown>>, done: string) => Promise<void>;
  readonly onMute: () => void;
}

function Subject({ alert: { deviceId, releaseId } }: Pick<LineProps, "alert">) {
  if (deviceId !== null) return <Link to={devicePath(deviceId)}>{deviceId}</Link>;
  if (releaseId === null) return <span>{alertsText.wholeFleet}</span>;
  return <Link to={`/releases/${releaseId}`}>{alertsText.release(releaseId)}</Link>;
}

function Line({ alert, now, named, act, onMute }: LineProps) {
  const { id, state, firedAt, clearedAt, acknowledgedAt, mutedUntil, value } = alert;
  const isFiring = state === "firing";
  const isMuted = mutedUntil !== null && Date.parse(mutedUntil) > now;
  const params = { alertId: id };
  const notes = [
    clearedAt !== null && alertsText.cleared(formatAgo(Date.parse(clearedAt), now)),
    acknowledgedAt !== null && alertsText.acknowledged(formatAgo(Date.parse(acknowledgedAt), now)),
    isMuted && alertsText.mutedUntil(formatTime(mutedUntil)),
  ].filter((note) => note !== false);
  return (
    <li class="entry">
      <div class="entry-text">
        <h3>{alert.name}</h3>
        <p class="line small">
          <Status tone={isFiring ? "bad" : "good"}>
            {isFiring ? alertsText.stateFiring : alertsText.stateCleared}
          </Status>
          {named && <Subject alert={alert} />}
          {value !== null && <span class="muted">{alertsText.valueWas(formatExact(value))}</span>}
        </p>
        <p class="small muted">
          <time dateTime={firedAt} title={formatTime(firedAt)}>
            {alertsText.fired(formatAgo(Date.parse(firedAt), now))}
          </time>
          {notes.map((note) => ` · ${note}`)}
        </p>
      </div>
      {isFiring && (
        <div class="actions">
          {acknowledgedAt === null && (
            <button
              type="button"
              class="button small"
              aria-label={alertsText.acknowledgeNamed(alert.name, alert.deviceId ?? "")}
              onClick={() =>
                void act(call("acknowledgeAlert", { params }), alertsText.acknowledgedToast)
              }
            >
              {alertsText.acknowledge}
            </button>
          )}
          {isMuted ? (
            <button
              type="button"
              class="button small quiet"
              aria-label={alertsText.unmuteNamed(alert.name)}
              onClick={() =>
                void act(
                  call("muteAlert", { params, body: { until: null } }),
                  alertsText.unmutedToast,
                )
              }
            >
              {alertsText.unmute}
            </button>
          ) : (
            <button
              type="button"
              class="button small quiet"
              aria-label={alertsText.muteNamed(alert.name)}
              onClick={onMute}
            >
              {alertsText.mute}
            </button>
          )}
        </div>
      )}
    </li>
  );
}

interface AlertListProps {
  readonly alerts: readonly AlertAnswer[];
  readonly named: boolean;
  readonly reload: () => void;
}

/** Lists alerts. One that fires can be acknowledged and muted. */
export function AlertList({ alerts, named, reload }: AlertListProps) {
  const now = useNow(5_000);
  const [muting, setMuting] = useState<AlertAnswer | undefined>();
  const [failure, setFailure] = useState<CallFailure | undefined>();
  const act: LineProps["act"] = async (sent, done) => {
    const reply = await sent;
    setFailure(reply.ok ? undefined : reply.failure);
    if (!reply.ok) return;
    showToast(done);
    reload();
  };
  return (
    <>
      <ErrorNotice failure={failure} />
      <ul class="entries">
        {alerts.map((alert) => (
          <Line
            key={alert.id}
            alert={alert}
            now={now}
            named={named}
            act={act}
            onMute={() => setMuting(alert)}
          />
        ))}
      </ul>
      {muting && (
        <MuteDialog
          rule={muting.name}
          hint={alertsText.muteAlertHint}
          mute={(until) => call("muteAlert", { params: { alertId: muting.id }, body: { until } })}
          onClose={() => {
            setMuting(undefined);
            reload();
          }}
        />
      )}
    </>
  );
}
