import type {
  DashboardRelease,
  DeviceSummary,
  OtaHistoryEvent,
} from "@device-gateway/core/contract";
import { useState } from "preact/hooks";
import { call } from "../api/call.js";
import { ExplainOffer } from "../firmware/explain-offer.js";
import { type FailedUpdate, findFailedUpdate } from "../firmware/find-failed-update.js";
import { releaseStatusLabels } from "../firmware/state-labels.js";
import { isOperator } from "../session.js";
import { formatDate } from "../ui/format.js";
import { Badge, Card, EmptyState, Skeleton, ErrorNotice } from "../ui/parts.js";
import { useLoad } from "../ui/use-load.js";

interface DeviceReleasesProps {
  readonly device: DeviceSummary;
  /** What happened to its updates, newest first. */
  readonly events: readonly OtaHistoryEvent[];
}

interface LineProps {
  readonly device: DeviceSummary;
  readonly release: DashboardRelease;
  readonly end: FailedUpdate | undefined;
}

/** What a release is to this device, as far as its owner can see. */
function VersionBadge({ device, release, end }: LineProps) {
  if (release.version === device.firmwareVersion) return <Badge tone="good">runs it</Badge>;
  if (end) return <Badge tone="bad">{end.label}</Badge>;
  if (device.updateAvailable && release.version === device.latestFirmwareVersion) {
    return <Badge tone="accent">gets it next</Badge>;
  }
  return release.isLatest ? <Badge>latest</Badge> : null;
}

/** Whether it is offered to anybody. That it is goes without saying. */
function StatusBadge({ status }: DashboardRelease) {
  const [words, tone] = releaseStatusLabels[status];
  return status === "active" ? null : <Badge tone={tone}>{words.toLowerCase()}</Badge>;
}

function Line({ device, release, end }: LineProps) {
  const [asked, setAsked] = useState(false);
  return (
    <li>
      <div class="between">
        <h3>
          {release.version} <VersionBadge device={device} release={release} end={end} />{" "}
          <StatusBadge {...release} />
        </h3>
        <span class="small muted">{formatDate(release.releasedAt)}</span>
      </div>
      {release.notes && <p class="small">{release.notes}</p>}
      {isOperator.value &&
        (asked ? (
          <ExplainOffer releaseId={release.id} deviceId={device.id} />
        ) : (
          <div>
            <button type="button" class="link small" onClick={() => setAsked(true)}>
              Would it get this, and why?
            </button>
          </div>
        ))}
    </li>
  );
}

/** What it gets next, or why nothing, in the words of whoever owns it. */
function explainNextUpdate(device: DeviceSummary, otaEnabled: boolean, end: FailedUpdate | undefined): string {
  const { firmwareVersion, latestFirmwareVersion, updateAvailable } = device;
  if (firmwareVersion === latestFirmwareVersion) return "It runs the latest of these.";
  if (!otaEnabled) return "It gets nothing: updates are turned off in its settings.";
  if (end) return end.sentence;
  if (updateAvailable) return `It gets ${latestFirmwareVersion} next.`;
  return "It gets nothing new now: none of these is later than what it runs, or its turn in the rollout has not come.";
}

export function DeviceReleases({ device, events }: DeviceReleasesProps) {
  const { targetHardware, otaChannel: rolloutChannel, id } = device;
  const releases = useLoad(`${targetHardware} ${rolloutChannel}`, (signal) =>
    call("listDashboardReleases", { query: { targetHardware, rolloutChannel }, signal }),
  );
  const config = useLoad(id, (signal) =>
    call("readDeviceConfig", { params: { deviceId: id }, signal }),
  );
  const found = releases.value?.releases;
  const end = findFailedUpdate(events, device.latestFirmwareVersion);
  return (
    <Card title="Releases for it">
      <ErrorNotice failure={releases.failure} retry={releases.reload} />
      {found === undefined && !releases.failure && <Skeleton height={120} />}
      {found?.length === 0 && (
        <EmptyState title="None yet">
          <p>
            Nobody has published firmware for {targetHardware} in the channel {rolloutChannel}.
          </p>
        </EmptyState>
      )}
      {found && found.length > 0 && (
        <div class="stack">
          <ul class="releases">
            {found.map((release) => (
              <Line
                key={release.id}
                device={device}
                release={release}
                end={findFailedUpdate(events, release.version)}
              />
            ))}
          </ul>
          <p class="small muted">
            {explainNextUpdate(device, config.value?.config.otaEnabled !== false, end)}
          </p>
        </div>
      )}
    </Card>
  );
}
