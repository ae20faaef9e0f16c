import type { GatewayContext } from "../../context.js";
import type { Device } from "../../device/device.js";
import type { RequestOrigin } from "../../shared/request-origin.js";
import { drawTokens } from "../../throttle/draw-tokens.js";
import { drawUnclaimedBytes } from "../../throttle/draw-unclaimed-bytes.js";
import type { Release } from "../release/release.js";
import { recordUpdate } from "../update/record-update.js";

/**
 * A step of a download that the server sees: it sends the image from its first byte (`started`) or from a later one
 * (`resumed`), or the transport took the last byte (`finished`).
 */
export type DownloadProgress = "started" | "resumed" | "finished";

/** Each kind of progress of a device is recorded this often, because a device can request one byte of an image again and again. */
const recordsPerMinute = 10;
/**
 * Bytes that a record counts for a device without an owner: its rows in the history and in the event log. Some records
 * of each release are free, so that attempts are counted and time out although the device has used up its bytes.
 */
const recordBytes = 1_024;
const freeRecords = { burst: 6, perMinute: 1 / 30 };

/** Returns whether the progress may be stored (docs/decisions/0030-what-a-request-may-store.md). */
async function mayRecord(
  context: GatewayContext,
  { deviceId, ownership }: Device,
  { id: releaseId }: Release,
  progress: DownloadProgress,
  { clientAddress }: RequestOrigin,
): Promise<boolean> {
  const bucket = `download-${progress}`;
  const drawn = await drawTokens(context, { bucket, who: deviceId, perMinute: recordsPerMinute });
  if (drawn.isErr() || ownership !== null || context.limits.unclaimedBytesPerMinute === 0) {
    return drawn.isOk();
  }
  const free = { ...freeRecords, bucket: `${bucket}-free`, who: `${deviceId} ${releaseId}` };
  if ((await drawTokens(context, free)).isOk()) return true;
  return (
    await drawUnclaimedBytes(context, { deviceId, clientAddress, bytes: recordBytes })
  ).isOk();
}

/**
 * Records the progress of a device's download (§6), unless the device has used up its records or its bytes (§9). Call
 * it before the first byte and after the last.
 */
export async function noteDownload(
  context: GatewayContext,
  device: Device,
  release: Release,
  progress: DownloadProgress,
  origin: RequestOrigin,
): Promise<void> {
  if (!(await mayRecord(context, device, release, progress, origin))) return;
  const { deviceId, profile } = device;
  const { id: releaseId, version } = release;
  const report = {
    deviceId,
    firmwareVersion: profile.firmwareVersion,
    version,
    releaseId,
    state: progress === "finished" ? "downloaded" : "downloading",
    source: "server",
    servesImage: progress === "started",
  } as const;
  await recordUpdate(context, report, origin.requestId);
}
