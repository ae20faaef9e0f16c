import type { DashboardRelease, OperatorRelease } from "../../contract/index.js";
import { compareFirmwareVersions } from "../../shared/firmware-version.js";
import { toTimestamp, toTimestampOrNull } from "../../shared/timestamp.js";
import { isHalted, type Release } from "./release.js";

/** Returns whether a release is the highest active one for its hardware and channel. */
function isLatest(release: Release, active: readonly Release[]): boolean {
  if (release.status !== "active") return false;
  return active.every(
    (other) =>
      other.targetHardware !== release.targetHardware ||
      other.rolloutChannel !== release.rolloutChannel ||
      compareFirmwareVersions(other.version, release.version) <= 0,
  );
}

/** Converts a release to its form on the dashboard (§7). */
export function toDashboardRelease(release: Release, active: readonly Release[]): DashboardRelease {
  return {
    id: release.id,
    version: release.version,
    targetHardware: release.targetHardware,
    releasedAt: release.releasedAt,
    sha256: release.sha256,
    size: release.size,
    signingKeyId: release.signingKeyId,
    signatureAlgorithm: release.signatureAlgorithm,
    rolloutChannel: release.rolloutChannel,
    rolloutPercent: release.rolloutPercent,
    mandatory: release.mandatory,
    notes: release.notes,
    status: release.status,
    isLatest: isLatest(release, active),
  };
}

/** Converts a release to its form for operators (§8). */
export function toOperatorRelease(release: Release, active: readonly Release[]): OperatorRelease {
  return {
    ...toDashboardRelease(release, active),
    signature: release.signature,
    externalUrl: release.externalUrl,
    minVersion: release.minVersion,
    hasImage: release.hasImage,
    haltedAt: isHalted(release) ? toTimestampOrNull(release.haltedAt) : null,
    createdAt: toTimestamp(release.createdAt),
    activatedAt: toTimestampOrNull(release.activatedAt),
  };
}
