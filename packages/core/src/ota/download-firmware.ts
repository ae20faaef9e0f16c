import { err, ok, type Result } from "neverthrow";
import type { GatewayContext } from "../context.js";
import { CutStreamError } from "../cut-stream-error.js";
import type { Device } from "../device/device.js";
import type { Failure } from "../failure.js";
import { StoreUnavailableError } from "../ports/store-unavailable-error.js";
import { parseByteRange } from "./byte-range.js";
import { type DownloadProgress, noteDownload } from "./note-download.js";
import type { Release } from "./release.js";

export interface DownloadRequest {
  readonly requestId: string | null;
  readonly releaseId: number;
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
}

export interface Download {
  readonly release: Release;
  readonly etag: string;
  /** Null: all of it. */
  readonly part: { readonly start: number; readonly end: number } | null;
  readonly stream: AsyncIterable<Uint8Array>;
}

interface Opened {
  readonly requestId: string | null;
  readonly release: Release;
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly start: number;
  readonly end: number;
}

/** So often a download looks whether its release is still to be had. */
const recheckMs = 1_000;

/** The active release of that id with an image for a device's hardware. */
async function findDownloadable(
  { releaseCatalog }: GatewayContext,
  releaseId: number,
  targetHardware: string,
): Promise<Release | undefined> {
  const active = await releaseCatalog.list();
  const release = active.find(({ id }) => id === releaseId);
  return release?.hasImage && release.targetHardware === targetHardware ? release : undefined;
}

/** What goes wrong with the device's history is no reason to keep its firmware back. */
async function note(
  context: GatewayContext,
  device: Device,
  { release, requestId }: Opened,
  progress: DownloadProgress,
): Promise<void> {
  try {
    await noteDownload(context, device, release, progress, requestId);
  } catch (error) {
    const { deviceId } = device;
    context.logger.warn(
      { requestId, deviceId, err: error },
      "Could not record how a download goes",
    );
  }
}

/** Tells of a download's first byte and, if it goes up to the image's end, of its last. */
async function* noted(
  context: GatewayContext,
  device: Device,
  opened: Opened,
): AsyncGenerator<Uint8Array> {
  const { release, bytes, start, end } = opened;
  await note(context, device, opened, start === 0 ? "started" : "resumed");
  yield* whileActive(context, bytes, release);
  if (end === release.size) await note(context, device, opened, "finished");
}

/** Breaks a download off, so that a release which is paused or withdrawn reaches nobody any more. */
async function* whileActive(
  context: GatewayContext,
  bytes: AsyncIterable<Uint8Array>,
  { id, targetHardware }: Release,
): AsyncGenerator<Uint8Array> {
  let checkedAt = context.clock.now();
  for await (const piece of bytes) {
    const now = context.clock.now();
    if (Math.abs(now - checkedAt) >= recheckMs) {
      checkedAt = now;
      if (!(await findDownloadable(context, id, targetHardware))) {
        throw new CutStreamError(`Release ${id} is not to be had any more.`);
      }
    }
    yield piece;
  }
}

/** Opens an image, or the range that is asked for, for a device (contract §6). */
export async function downloadFirmware(
  context: GatewayContext,
  device: Device,
  { requestId, releaseId, range, ifRange }: DownloadRequest,
): Promise<Result<Download, Failure<"release_not_found" | "range_not_satisfiable">>> {
  const release = await findDownloadable(context, releaseId, device.profile.targetHardware);
  if (release === undefined) return err({ code: "release_not_found" });
  const { sha256, size } = release;
  const etag = `"${sha256}"`;
  const wanted = ifRange === undefined || ifRange.trim() === etag ? range : undefined;
  const asked = parseByteRange(wanted, size);
  if (asked.kind === "unsatisfiable") {
    return err({ code: "range_not_satisfiable", completeLength: size });
  }
  const part = asked.kind === "part" ? asked : null;
  const { start, end } = part ?? { start: 0, end: size };
  const bytes = await context.firmware.artifacts.open({ sha256, start, end });
  if (bytes === null) {
    throw new StoreUnavailableError(
      `The image of release ${releaseId} is not in the artifact store.`,
    );
  }
  const stream = noted(context, device, { requestId, release, bytes, start, end });
  return ok({ release, etag, part, stream });
}
