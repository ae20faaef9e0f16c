import type { GatewayContext } from "../../context.js";
import type { UpdateEvent } from "../../contract/index.js";
import type { Device } from "../../device/device.js";
import { canonicalVersion } from "../../shared/firmware-version.js";
import type { RequestOrigin } from "../../shared/request-origin.js";
import { toStorableText } from "../../shared/storable-text.js";
import { recordUpdate } from "./record-update.js";

const maxTextLength = 512;
const progressStep = 10;

/**
 * Records a device's report about an update (§6). A report that is impossible in the update's state is only added to
 * the history.
 */
export async function reportUpdate(
  context: GatewayContext,
  device: Device,
  { state, version: reportedVersion, progress: percent, code, message: text }: UpdateEvent,
  { requestId }: RequestOrigin,
): Promise<void> {
  const { deviceId, profile } = device;
  const version = canonicalVersion(reportedVersion);
  const lastResult = toStorableText(code ?? "", maxTextLength) || undefined;
  const message = toStorableText(text ?? "", maxTextLength) || undefined;
  const progress =
    percent === undefined ? undefined : Math.floor(percent / progressStep) * progressStep;
  const report = {
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
  await recordUpdate(context, report, requestId);
}
