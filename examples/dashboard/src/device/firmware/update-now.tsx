import type { DeviceSummary, OtaHistoryEvent, UpdateCommand } from "@device-gateway/core/contract";
import { useState } from "preact/hooks";
import { type CallFailure, call } from "../../api/call.js";
import { type FailedUpdate, findFailedUpdate } from "../../firmware/find-failed-update.js";
import { isAtLeast } from "../../firmware/is-at-least.js";
import * as firmwareText from "../../text/firmware.js";
import { formatDuration } from "../../ui/format.js";
import { Badge, Card, ErrorNotice } from "../../ui/parts.js";
import type { SettingsProps } from "../settings/settings-props.js";

interface UpdateNowProps extends SettingsProps {
  readonly command: UpdateCommand | null;
  /** The device's update events, newest first. */
  readonly events: readonly OtaHistoryEvent[];
}

function describeCommand({ status, message }: UpdateCommand, intervalSeconds: number): string {
  if (status === "waiting") {
    return firmwareText.updateRequested(formatDuration(intervalSeconds));
  }
  return firmwareText.gatewayReported([status, message].filter(Boolean).join(", "));
}

const noCommandText = firmwareText.updateNowHint;

interface VersionBadgeProps {
  readonly device: DeviceSummary;
  /** How the update to the latest version failed. */
  readonly failed: FailedUpdate | undefined;
}

/** Says whether the device needs an update. A device that is offered none may still run an old version. */
function VersionBadge({ device, failed }: VersionBadgeProps) {
  const { firmwareVersion, latestFirmwareVersion: latest, updateAvailable } = device;
  if (!updateAvailable) {
    if (latest === null) return <Badge>{firmwareText.noReleaseForHardware}</Badge>;
    if (isAtLeast(firmwareVersion, latest)) {
      return <Badge tone="good">{firmwareText.upToDate}</Badge>;
    }
  }
  if (failed) {
    return <Badge tone="bad">{firmwareText.versionFailed(latest ?? "", failed.label)}</Badge>;
  }
  return updateAvailable ? (
    <Badge tone="accent">{firmwareText.updateAvailable}</Badge>
  ) : (
    <Badge>{firmwareText.versionNotOffered(latest ?? "")}</Badge>
  );
}

/** Shows the installed version, whether an update is available, and the button to update. */
export function UpdateNow({ device, reload, command, events }: UpdateNowProps) {
  const [failure, setFailure] = useState<CallFailure | undefined>();
  const [busy, setBusy] = useState(false);
  const { firmwareVersion, latestFirmwareVersion, updateAvailable, isOwner } = device;
  const failed = findFailedUpdate(events, latestFirmwareVersion);
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
          <span class="small muted">{firmwareText.installedVersion}</span>
          <p class="version">
            {firmwareVersion} <VersionBadge device={device} failed={failed} />
          </p>
        </div>
        {isOwner && (
          <button
            type="button"
            class={`button ${updateAvailable && !failed ? "primary" : ""}`}
            disabled={busy || command?.status === "waiting"}
            onClick={() => void ask()}
          >
            {firmwareText.updateNow}
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
