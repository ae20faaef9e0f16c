import type { GatewayContext, RequestOrigin } from "../../context.js";
import type { FirmwareOffer, LatestFirmware } from "../../contract/index.js";
import type { Device } from "../../device/device.js";
import type { Release } from "../release/release.js";
import { isGivenUp } from "../update/device-update.js";
import { recordUpdate } from "../update/record-update.js";
import { offerOf } from "./current-offer.js";
import { mayDownloadElsewhere } from "./decide-offer.js";

/** Whether the store knows of this offer, and that the device may begin with it. */
function isKnown({ ota: { current } }: Device, release: Release): boolean {
  return current?.releaseId === release.id && !isGivenUp(current.state);
}

function downloadUrlOf(
  { downloadBase }: GatewayContext,
  device: Device,
  { id, externalUrl }: Release,
): string {
  const elsewhere = externalUrl !== null && mayDownloadElsewhere(device);
  return elsewhere ? externalUrl : `${downloadBase}${id}`;
}

function toOffer(
  context: GatewayContext,
  device: Device,
  release: Release,
  currentVersion: string,
): FirmwareOffer {
  return {
    updateAvailable: true,
    currentVersion,
    version: release.version,
    targetHardware: release.targetHardware,
    rolloutChannel: release.rolloutChannel,
    releasedAt: release.releasedAt,
    downloadUrl: downloadUrlOf(context, device, release),
    size: release.size,
    sha256: release.sha256,
    signature: release.signature,
    signingKeyId: release.signingKeyId,
    signatureAlgorithm: release.signatureAlgorithm,
    mandatory: release.mandatory,
    notes: release.notes,
  };
}

/**
 * Says what firmware there is for a device (contract §6). An offer that it does not know of yet is
 * written first; all other answers cost no round trip.
 */
export async function readLatestFirmware(
  context: GatewayContext,
  device: Device,
  { requestId }: RequestOrigin,
  currentVersion: string = device.profile.firmwareVersion,
): Promise<LatestFirmware> {
  const { deviceId, profile } = device;
  const releases = await context.releaseCatalog.list();
  const release = offerOf(context, device, releases, currentVersion);
  const none = { updateAvailable: false, currentVersion } as const;
  if (release === null) return none;
  if (!isKnown(device, release)) {
    const { firmwareVersion } = profile;
    const { id: releaseId, version } = release;
    const news = { deviceId, firmwareVersion, releaseId, version, source: "server" } as const;
    // The store has the last word: the release may have been paused a moment ago.
    const offered = await recordUpdate(context, { ...news, state: "offered" }, requestId);
    if (offered === null) return none;
  }
  return toOffer(context, device, release, currentVersion);
}
