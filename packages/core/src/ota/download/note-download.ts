import type { GatewayContext } from "../../context.js";
import type { Device } from "../../device/device.js";
import type { Release } from "../release/release.js";
import { recordUpdate } from "../update/record-update.js";

/**
 * A step of a download that the server sees: it sends the image from its first byte (`started`) or from a later one
 * (`resumed`), or the transport took the last byte (`finished`).
 */
export type DownloadProgress = "started" | "resumed" | "finished";

/** Records the progress of a device's download (§6). Call it before the first byte and after the last. */
export async function noteDownload(
  context: GatewayContext,
  { deviceId, profile }: Device,
  { id: releaseId, version }: Release,
  progress: DownloadProgress,
  requestId: string | null,
): Promise<void> {
  const report = {
    deviceId,
    firmwareVersion: profile.firmwareVersion,
    version,
    releaseId,
    state: progress === "finished" ? "downloaded" : "downloading",
    source: "server",
    servesImage: progress === "started",
  } as const;
  await recordUpdate(context, report, requestId);
}
