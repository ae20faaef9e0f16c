import type {
  DashboardRelease,
  DeviceSummary,
  OtaHistoryEvent,
} from "@device-gateway/core/contract";
import { useState } from "preact/hooks";
import { call } from "../../api/call.js";
import { ExplainOffer } from "../../firmware/explain-offer.js";
import { type FailedUpdate, findFailedUpdate } from "../../firmware/find-failed-update.js";
import { releaseStatusLabels } from "../../firmware/state-labels.js";
import { isOperator } from "../../session.js";
import * as firmwareText from "../../text/firmware.js";
import { formatDate } from "../../ui/format.js";
import { Badge, Card, EmptyState, ErrorNotice, Skeleton } from "../../ui/parts.js";
import { joinFailures, useLoad, useRefreshed } from "../../ui/use-load.js";

const refreshMs = 30_000;

interface DeviceReleasesProps {
  readonly device: DeviceSummary;
  /** The device's update events, newest first. */
  readonly events: readonly OtaHistoryEvent[];
}

interface LineProps {
  readonly device: DeviceSummary;
  readonly release: DashboardRelease;
  readonly failed: FailedUpdate | undefined;
}

/** What the release means for this device. */
function VersionBadge({ device, release, failed }: LineProps) {
  if (release.version === device.firmwareVersion)
    return <Badge tone="good">{firmwareText.installed}</Badge>;
  if (failed) return <Badge tone="bad">{failed.label}</Badge>;
  return release.isLatest ? <Badge>{firmwareText.latest}</Badge> : null;
}

/** The release's status, unless it is active. */
function StatusBadge({ status }: DashboardRelease) {
  const [label, tone] = releaseStatusLabels[status];
  return status === "active" ? null : <Badge tone={tone}>{label.toLowerCase()}</Badge>;
}

function Line({ device, release, failed }: LineProps) {
  const [asked, setAsked] = useState(false);
  return (
    <li>
      <div class="between">
        <h3>
          {release.version} <VersionBadge device={device} release={release} failed={failed} />{" "}
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
              {firmwareText.whyOffered}
            </button>
          </div>
        ))}
    </li>
  );
}

/** Says whether the device is offered an update, or why not. The API does not say which version is offered. */
function explainNextUpdate(
  device: DeviceSummary,
  otaEnabled: boolean,
  failed: FailedUpdate | undefined,
): string {
  const { firmwareVersion, latestFirmwareVersion, updateAvailable } = device;
  if (firmwareVersion === latestFirmwareVersion) return firmwareText.runsLatest;
  if (!otaEnabled) return firmwareText.updatesOff;
  if (failed) return failed.sentence;
  if (updateAvailable) return firmwareText.updateOffered;
  return firmwareText.noUpdateOffered;
}

export function DeviceReleases({ device, events }: DeviceReleasesProps) {
  const { targetHardware, otaChannel: rolloutChannel, id } = device;
  const releases = useRefreshed(
    useLoad(`${targetHardware} ${rolloutChannel}`, (signal) =>
      call("listDashboardReleases", { query: { targetHardware, rolloutChannel }, signal }),
    ),
    refreshMs,
  );
  const config = useRefreshed(
    useLoad(id, (signal) => call("readDeviceConfig", { params: { deviceId: id }, signal })),
    refreshMs,
  );
  const found = releases.value?.releases;
  const failed = findFailedUpdate(events, device.latestFirmwareVersion);
  return (
    <Card title={firmwareText.releases}>
      <ErrorNotice {...joinFailures(releases, config)} />
      {found === undefined && !releases.failure && <Skeleton height={120} />}
      {found?.length === 0 && (
        <EmptyState title={firmwareText.noReleasesYet}>
          <p>{firmwareText.noReleasesHint(targetHardware, rolloutChannel)}</p>
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
                failed={findFailedUpdate(events, release.version)}
              />
            ))}
          </ul>
          {config.value && (
            <p class="small muted">
              {explainNextUpdate(device, config.value.config.otaEnabled, failed)}
            </p>
          )}
        </div>
      )}
    </Card>
  );
}
