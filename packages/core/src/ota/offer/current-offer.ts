import type { GatewayContext } from "../../context.js";
import type { Device } from "../../device/device.js";
import { compareFirmwareVersions } from "../../shared/firmware-version.js";
import type { Release } from "../release/release.js";
import { findOffer, highestFirst, type OfferFacts } from "./decide-offer.js";

type ByHardware = ReadonlyMap<string, readonly Release[]>;

/** The catalogue gives the same list as long as nothing changes: it is sorted once. */
const sorted = new WeakMap<readonly Release[], ByHardware>();

function sortReleases(releases: readonly Release[]): ByHardware {
  const byHardware = new Map<string, Release[]>();
  for (const release of highestFirst(releases)) {
    const { targetHardware } = release;
    byHardware.set(targetHardware, [...(byHardware.get(targetHardware) ?? []), release]);
  }
  return byHardware;
}

/** Active releases for a kind of hardware, the highest version first. */
export function releasesFor(
  releases: readonly Release[],
  targetHardware: string,
): readonly Release[] {
  const byHardware = sorted.get(releases) ?? sortReleases(releases);
  sorted.set(releases, byHardware);
  return byHardware.get(targetHardware) ?? [];
}

/** What decides about a device's offer now. */
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

/** The release that a device is offered, of these active ones. */
export function offerOf(
  context: GatewayContext,
  device: Device,
  releases: readonly Release[],
  currentVersion?: string,
): Release | null {
  const candidates = releasesFor(releases, device.profile.targetHardware);
  const [highest] = candidates;
  const runs = currentVersion ?? device.profile.firmwareVersion;
  // Mostly a device is up to date: then its configuration need not be worked out.
  if (highest === undefined || compareFirmwareVersions(highest.version, runs) <= 0) return null;
  return findOffer(candidates, toOfferFacts(context, device, runs));
}
