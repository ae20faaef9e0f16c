import type { VisibleDevice } from "../access/visible-device.js";
import type { GatewayContext } from "../context.js";
import type { DeviceSummary } from "../contract/index.js";
import type { Device } from "../device/device.js";
import { offerOf, releasesFor } from "../ota/offer/current-offer.js";
import type { Release } from "../ota/release/release.js";
import { isFailure } from "../ota/update/device-update.js";
import { toTimestamp, toTimestampOrNull } from "../shared/timestamp.js";
import { flattenRecord } from "../telemetry/flatten-record.js";
import type { StoredTelemetryRecord } from "../telemetry/telemetry-store.js";

const minOnlineMs = 5 * 60_000;

const secondsBetween = (earlier: number, later: number) =>
  Math.max(0, Math.floor((later - earlier) / 1000));

/** Returns the values that the latest record has for the metrics of the option `summaryMetrics`. */
function summaryValues(
  names: readonly string[],
  latest: StoredTelemetryRecord | null,
): Record<string, number> {
  if (names.length === 0 || latest === null) return {};
  const selected = flattenRecord(latest.value).filter(({ name }) => names.includes(name));
  return Object.fromEntries(selected.map(({ name, value }) => [name, value]));
}

/** Returns the latest release for a device's hardware and channel, and whether the device is offered an update. */
function describeFirmware(context: GatewayContext, device: Device, releases: readonly Release[]) {
  const latest = releasesFor(releases, device.profile.targetHardware).find(
    ({ rolloutChannel }) => rolloutChannel === device.ota.channel,
  );
  return {
    latestFirmwareVersion: latest?.version ?? null,
    latestFirmwareReleasedAt: toTimestampOrNull(
      latest === undefined ? null : Date.parse(latest.releasedAt),
    ),
    updateAvailable: offerOf(context, device, releases) !== null,
  };
}

/** Returns the version of the last offered release if the update to it failed, or null. */
function failedVersionOf({ profile, ota: { current } }: Device): string | null {
  const isOpen = current !== null && current.version !== profile.firmwareVersion;
  return isOpen && isFailure(current.state) ? current.version : null;
}

/** What a summary needs besides the device. */
export interface SummaryFacts {
  readonly latest: StoredTelemetryRecord | null;
  /** When telemetry was last refused, in epoch milliseconds. Null: not in the last 24 hours. */
  readonly refusedAt: number | null;
  /** The active releases. */
  readonly releases: readonly Release[];
}

/** Describes a device for the dashboard (§7). */
export function summariseDevice(
  context: GatewayContext,
  { device, isOwner, from }: VisibleDevice,
  { latest, refusedAt, releases }: SummaryFacts,
): DeviceSummary {
  const { configLayers, clock, policies } = context;
  const { deviceId, profile, name, ownership, lastSeenAt, lastTelemetryAt, revokedAt } = device;
  const now = clock.now();
  const { telemetryIntervalSeconds: interval } = configLayers.effective(device);
  const onlineMs = Math.max(minOnlineMs, 3 * interval * 1000);
  // A new owner must not learn when the device was active for a former owner.
  const ownTime = (at: number | null) => (at !== null && at >= from ? at : null);
  const [seenAt, telemetryAt] = [ownTime(lastSeenAt), ownTime(lastTelemetryAt)];
  // It has no time by which it could be hidden from a later owner.
  const failedVersion = from === 0 ? failedVersionOf(device) : null;
  const silence = telemetryAt === null ? null : secondsBetween(telemetryAt, now);
  return {
    ...summaryValues(policies.summaryMetrics, latest),
    id: deviceId,
    name: name ?? deviceId,
    status: seenAt !== null && now - seenAt <= onlineMs ? "online" : "offline",
    isOwner,
    targetHardware: profile.targetHardware,
    otaChannel: device.ota.channel,
    firmwareVersion: profile.firmwareVersion,
    ...describeFirmware(context, device, releases),
    lastSeen: toTimestampOrNull(seenAt),
    claimedAt: toTimestampOrNull(ownership?.claimedAt),
    expectedIntervalSeconds: interval,
    secondsSinceLastTelemetry: silence,
    secondsUntilNextExpectedCheckIn: silence === null ? null : Math.max(0, interval - silence),
    ...(revokedAt !== null && { revokedAt: toTimestamp(revokedAt) }),
    ...(failedVersion !== null && { failedVersion }),
    ...(refusedAt !== null && { refusedAt: toTimestamp(refusedAt) }),
  };
}
