import type { GatewayContext } from "../../context.js";
import type { Device } from "../../device/device.js";
import { compareFirmwareVersions } from "../../shared/firmware-version.js";
import type { Release } from "../release/release.js";
import { findOffer, highestFirst, type OfferFacts } from "./decide-offer.js";

type ByHardware = ReadonlyMap<string, readonly Release[]>;

/**
 * Sorted releases by list. The catalogue returns the same list until something changes, so each list is sorted once.
 */
const sorted = new WeakMap<readonly Release[], ByHardware>();

function sortReleases(releases: readonly Release[]): ByHardware {
  const byHardware = new Map<string, Release[]>();
  for (const release of highestFirst(releases)) {
    const { targetHardware } = release;
    byHardware.set(targetHardware, [...(byHardware.get(targetHardware) ?? []), release]);
  }
  return byHardware;
}

/** Returns the active releases for a kind of hardware, highest version first. */
export function releasesFor(
  releases: readonly Release[],
  targetHardware: string,
): readonly Release[] {
  const byHardware = sorted.get(releases) ?? sortReleases(releases);
  sorted.set(releases, byHardware);
  return byHardware.get(targetHardware) ?? [];
}

/** Returns the facts that decide about a device's offer. */
export const toOfferFacts = (
  { configLayers, clock, downloadBase }: GatewayContext,
  device: Device,
  currentVersion: string = device.profile.firmwareVersion,
): OfferFacts => ({
  device,
  currentVersion,
  otaEnabled: configLayers.effective(device).otaEnabled,
  hasPublicUrl: downloadBase !== null,
  now: clock.now(),
});

/** Returns which of these active releases a device is offered, or null. */
export function offerOf(
  context: GatewayContext,
  device: Device,
  releases: readonly Release[],
  currentVersion?: string,
): Release | null {
  const candidates = releasesFor(releases, device.profile.targetHardware);
  const [highest] = candidates;
  const runningVersion = currentVersion ?? device.profile.firmwareVersion;
  // Most devices are up to date. This check saves computing their configuration.
  if (highest === undefined || compareFirmwareVersions(highest.version, runningVersion) <= 0)
    return null;
  return findOffer(candidates, toOfferFacts(context, device, runningVersion));
}
