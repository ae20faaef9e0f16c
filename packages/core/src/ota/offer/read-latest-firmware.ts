import type { GatewayContext } from "../../context.js";
import type { FirmwareOffer, LatestFirmware } from "../../contract/index.js";
import type { Device } from "../../device/device.js";
import type { RequestOrigin } from "../../shared/request-origin.js";
import { drawTokens } from "../../throttle/draw-tokens.js";
import type { Release } from "../release/release.js";
import { isGivenUp } from "../update/device-update.js";
import { recordUpdate } from "../update/record-update.js";
import { offerOf } from "./current-offer.js";
import { mayDownloadElsewhere } from "./decide-offer.js";

/** Returns whether the store already knows the device's current offer, and the device may start with it. */
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
 * Offers that are recorded for a device in a minute, except in bench mode. With `currentVersion`, a device can ask for
 * others each time.
 */
const recordsPerMinute = 10;

async function mayRecord(context: GatewayContext, { deviceId, ota }: Device): Promise<boolean> {
  if (ota.benchMode) return true;
  const draw = { bucket: "offers", who: deviceId, perMinute: recordsPerMinute };
  return (await drawTokens(context, draw)).isOk();
}

/**
 * Returns the firmware that a device is offered (§6). An offer that the store does not know yet is recorded first,
 * unless the device has used up its records (§9). All other responses need no round trip.
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
  if (!isKnown(device, release) && (await mayRecord(context, device))) {
    const { firmwareVersion } = profile;
    const { id: releaseId, version } = release;
    const report = { deviceId, firmwareVersion, releaseId, version, source: "server" } as const;
    // The store decides: the release may have been paused a moment ago.
    const offered = await recordUpdate(context, { ...report, state: "offered" }, requestId);
    if (offered === null) return none;
  }
  return toOffer(context, device, release, currentVersion);
}
