import type { Device } from "../../device/device.js";
import { compareFirmwareVersions } from "../../shared/firmware-version.js";
import { isHalted, type Release } from "../release/release.js";
import { blockedUntil } from "./device-ota.js";
import type { OfferReason } from "./offer-reason.js";
import { isInRollout } from "./rollout-share.js";

/** The facts that decide which release a device is offered. */
export interface OfferFacts {
  readonly device: Pick<Device, "deviceId" | "profile" | "ota" | "revokedAt">;
  /** The version that the device reported. */
  readonly currentVersion: string;
  readonly otaEnabled: boolean;
  /** Whether the gateway knows the URL at which devices reach it. */
  readonly hasPublicUrl: boolean;
  readonly now: number;
}

function* reasonsOfRelease(
  release: Release,
  { device, hasPublicUrl }: OfferFacts,
): Generator<OfferReason> {
  const { status, hasImage, externalUrl } = release;
  if (status !== "active") yield { code: isHalted(release) ? "halted" : status };
  const isExternal = externalUrl !== null && mayDownloadElsewhere(device);
  if (isExternal) return;
  if (!hasImage) {
    yield { code: externalUrl === null ? "image_missing" : "external_download_unsupported" };
  } else if (!hasPublicUrl) yield { code: "public_url_missing" };
}

function* reasonsOfDevice(release: Release, facts: OfferFacts): Generator<OfferReason> {
  const { device, currentVersion, otaEnabled, now } = facts;
  const { ota, profile, deviceId } = device;
  if (device.revokedAt !== null) yield { code: "device_revoked" };
  if (!otaEnabled) yield { code: "ota_disabled" };
  if (release.targetHardware !== profile.targetHardware) yield { code: "other_hardware" };
  if (ota.pinnedVersion === null) {
    if (release.rolloutChannel !== ota.channel) yield { code: "other_channel" };
    if (!isInRollout(deviceId, release.id, release.rolloutPercent)) {
      yield { code: "outside_rollout" };
    }
  } else if (compareFirmwareVersions(release.version, ota.pinnedVersion) !== 0) {
    yield { code: "pinned" };
  }
  if (compareFirmwareVersions(release.version, currentVersion) <= 0) yield { code: "not_newer" };
  const { minVersion } = release;
  if (minVersion !== null && compareFirmwareVersions(currentVersion, minVersion) < 0) {
    yield { code: "below_min_version" };
  }
  const { current } = ota;
  if (
    current?.state === "succeeded" &&
    compareFirmwareVersions(release.version, current.version) <= 0
  ) {
    yield { code: "already_succeeded" };
  }
  const until = blockedUntil(ota, release.id, now);
  if (until !== null) yield { code: "blocked", until };
}

/** Returns whether a device may download from another host. Field firmware sends its token to any host (§6). */
export const mayDownloadElsewhere = ({ profile }: Pick<Device, "profile">): boolean =>
  profile.capabilities["externalDownload"] === true;

/** Returns every reason against offering a device a release. Empty if the release fits. */
export const reasonsAgainst = (release: Release, facts: OfferFacts): OfferReason[] => [
  ...reasonsOfRelease(release, facts),
  ...reasonsOfDevice(release, facts),
];

function fits(release: Release, facts: OfferFacts): boolean {
  for (const _ of reasonsOfRelease(release, facts)) return false;
  for (const _ of reasonsOfDevice(release, facts)) return false;
  return true;
}

/** Sorts releases for `findOffer`: highest version first. */
export const highestFirst = (releases: readonly Release[]): Release[] =>
  [...releases].sort((a, b) => compareFirmwareVersions(b.version, a.version));

/**
 * Returns the release that a device is offered (§6): the highest one without a reason against it. `sorted` comes from
 * `highestFirst`. A device below a release's minVersion is thus offered the highest release in between.
 */
export function findOffer(sorted: readonly Release[], facts: OfferFacts): Release | null {
  for (const release of sorted) {
    // None of the remaining releases is newer. Nearly every request ends here.
    if (compareFirmwareVersions(release.version, facts.currentVersion) <= 0) return null;
    if (fits(release, facts)) return release;
  }
  return null;
}

export type OfferDecision =
  | { readonly offered: true }
  | { readonly offered: false; readonly reasons: readonly OfferReason[] };

/** Returns whether a device is offered this release, or every reason against it. */
export function decideOffer(
  release: Release,
  sorted: readonly Release[],
  facts: OfferFacts,
): OfferDecision {
  const reasons = reasonsAgainst(release, facts);
  if (reasons.length > 0) return { offered: false, reasons };
  const offer = findOffer(sorted, facts);
  if (offer === null || offer.id === release.id) return { offered: true };
  return { offered: false, reasons: [{ code: "superseded" }] };
}
