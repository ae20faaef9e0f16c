import type { GatewayContext, RequestOrigin } from "../../context.js";
import type { UpdateEvent } from "../../contract/index.js";
import type { Device } from "../../device/device.js";
import { canonicalVersion } from "../../shared/firmware-version.js";
import { toStorableText } from "../../shared/storable-text.js";
import { recordUpdate } from "./record-update.js";

const longestText = 512;
const progressStep = 10;

/** Records what a device tells of an update (contract §6). Nonsense stays a line of its history. */
export async function reportUpdate(
  context: GatewayContext,
  device: Device,
  { state, version: said, progress: percent, code, message: text }: UpdateEvent,
  { requestId }: RequestOrigin,
): Promise<void> {
  const { deviceId, profile } = device;
  const version = canonicalVersion(said);
  const lastResult = toStorableText(code ?? "", longestText) || undefined;
  const message = toStorableText(text ?? "", longestText) || undefined;
  const progress =
    percent === undefined ? undefined : Math.floor(percent / progressStep) * progressStep;
  const news = {
    deviceId,
    firmwareVersion: profile.firmwareVersion,
    state,
    version,
    source: "device",
    lastResult,
    progress,
    message,
    fingerprint: JSON.stringify([state, version, lastResult, progress, message]),
  } as const;
  await recordUpdate(context, news, requestId);
}
