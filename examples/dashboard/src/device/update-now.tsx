import type { OtaHistoryEvent, UpdateCommand } from "@device-gateway/core/contract";
import { useState } from "preact/hooks";
import { type CallFailure, call } from "../api/call.js";
import { findFailedUpdate } from "../firmware/find-failed-update.js";
import { formatDuration } from "../ui/format.js";
import { Badge, Card, ErrorNotice } from "../ui/parts.js";
import type { SettingsProps } from "./settings-props.js";

interface UpdateNowProps extends SettingsProps {
  readonly command: UpdateCommand | null;
  /** What happened to its updates, newest first. */
  readonly events: readonly OtaHistoryEvent[];
}

function describeCommand({ status, message }: UpdateCommand, intervalSeconds: number): string {
  if (status === "waiting") {
    return `Asked. The gateway hears of it with its next record, within ${formatDuration(intervalSeconds)}.`;
  }
  return `The gateway answered: ${[status, message].filter(Boolean).join(", ")}.`;
}

const noCommandText = "It looks for updates by itself. Update now makes it look with its next record.";

/** What it runs, what it could run, and the button between the two. */
export function UpdateNow({ device, reload, command, events }: UpdateNowProps) {
  const [failure, setFailure] = useState<CallFailure | undefined>();
  const [busy, setBusy] = useState(false);
  const { firmwareVersion, latestFirmwareVersion, updateAvailable, isOwner } = device;
  const end = findFailedUpdate(events, latestFirmwareVersion);
  const ask = async () => {
    setBusy(true);
    const reply = await call("commandUpdate", { params: { deviceId: device.id } });
    setFailure(reply.ok ? undefined : reply.failure);
    setBusy(false);
    reload();
  };
  return (
    <Card>
      <div class="between">
        <div class="stack-small">
          <span class="small muted">Runs</span>
          <p class="version">
            {firmwareVersion}{" "}
            {updateAvailable ? (
              <Badge tone={end ? "bad" : "accent"}>
                {latestFirmwareVersion} {end ? end.label : "ready"}
              </Badge>
            ) : (
              <Badge tone="good">up to date</Badge>
            )}
          </p>
        </div>
        {isOwner && (
          <button
            type="button"
            class={`button ${updateAvailable && !end ? "primary" : ""}`}
            disabled={busy || command?.status === "waiting"}
            onClick={() => void ask()}
          >
            Update now
          </button>
        )}
      </div>
      <ErrorNotice failure={failure} />
      <p class="small muted command" role="status">
        {command ? describeCommand(command, device.expectedIntervalSeconds) : noCommandText}
      </p>
    </Card>
  );
}
