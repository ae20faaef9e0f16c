import type { Device } from "../../device/device.js";
import { compareFirmwareVersions } from "../../shared/firmware-version.js";
import type { Release } from "../release/release.js";
import { blockedUntil } from "./device-ota.js";
import type { OfferReason } from "./offer-reason.js";
import { isInRollout } from "./rollout-share.js";

/** What of a device decides which release it is offered. */
export interface OfferFacts {
  readonly device: Pick<Device, "deviceId" | "profile" | "ota" | "revokedAt">;
  /** What it runs, by its own word. */
  readonly currentVersion: string;
  readonly otaEnabled: boolean;
  /** Whether devices can be told where to download from here. */
  readonly hasPublicUrl: boolean;
  readonly now: number;
}

function* reasonsOfRelease(
  { status, haltedAt, hasImage, externalUrl }: Release,
  { device, hasPublicUrl }: OfferFacts,
): Generator<OfferReason> {
  if (status !== "active") yield { code: haltedAt === null ? status : "halted" };
  const canLeave = externalUrl !== null && mayDownloadElsewhere(device);
  if (canLeave) return;
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
  if (ota.current?.releaseId === release.id && ota.current.state === "succeeded") {
    yield { code: "already_succeeded" };
  }
  const until = blockedUntil(ota, release.id, now);
  if (until !== null) yield { code: "blocked", until };
}

/** Whether a device may be sent to another host: field firmware takes its token anywhere (contract §6). */
export const mayDownloadElsewhere = ({ profile }: Pick<Device, "profile">): boolean =>
  profile.capabilities["externalDownload"] === true;

/** Every reason why a device is not offered a release by itself; none: it fits. */
export const reasonsAgainst = (release: Release, facts: OfferFacts): OfferReason[] => [
  ...reasonsOfRelease(release, facts),
  ...reasonsOfDevice(release, facts),
];

function fits(release: Release, facts: OfferFacts): boolean {
  for (const _ of reasonsOfRelease(release, facts)) return false;
  for (const _ of reasonsOfDevice(release, facts)) return false;
  return true;
}

/** Sorts releases as `findOffer` wants them: the highest version first. */
export const highestFirst = (releases: readonly Release[]): Release[] =>
  [...releases].sort((a, b) => compareFirmwareVersions(b.version, a.version));

/**
 * The release that a device is offered (contract §6): the highest one that nothing speaks against, of
 * releases sorted by `highestFirst`. So a device that runs less than a release's minVersion is offered the
 * highest one in between.
 */
export function findOffer(sorted: readonly Release[], facts: OfferFacts): Release | null {
  for (const release of sorted) {
    // From here on none is newer, which is the rule for nearly every request.
    if (compareFirmwareVersions(release.version, facts.currentVersion) <= 0) return null;
    if (fits(release, facts)) return release;
  }
  return null;
}

export type OfferDecision =
  | { readonly offered: true }
  | { readonly offered: false; readonly reasons: readonly OfferReason[] };

/** Whether a device is offered this very release among all, or every reason why not. */
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
