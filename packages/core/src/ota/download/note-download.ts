import type { GatewayContext } from "../../context.js";
import type { Device } from "../../device/device.js";
import type { Release } from "../release/release.js";
import { recordUpdate } from "../update/record-update.js";

/**
 * What the server sees of a download: the image handed out from its first byte on (`started`), gone on
 * with in between (`resumed`), or its last byte taken by the transport (`finished`).
 */
export type DownloadProgress = "started" | "resumed" | "finished";

/** Records how a device's download goes (contract §6). Call it before the first byte and after the last. */
export async function noteDownload(
  context: GatewayContext,
  { deviceId, profile }: Device,
  { id: releaseId, version }: Release,
  progress: DownloadProgress,
  requestId: string | null,
): Promise<void> {
  const news = {
    deviceId,
    firmwareVersion: profile.firmwareVersion,
    version,
    releaseId,
    state: progress === "finished" ? "downloaded" : "downloading",
    source: "server",
    servesImage: progress === "started",
  } as const;
  await recordUpdate(context, news, requestId);
}
