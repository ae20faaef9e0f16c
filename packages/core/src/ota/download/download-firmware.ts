import { err, ok, type Result } from "neverthrow";
import type { GatewayContext } from "../../context.js";
import type { Device } from "../../device/device.js";
import { StoreUnavailableError } from "../../ports/store-unavailable-error.js";
import { CutStreamError } from "../../shared/cut-stream-error.js";
import type { Failure } from "../../shared/failure.js";
import type { Release } from "../release/release.js";
import { parseByteRange } from "./byte-range.js";
import { type DownloadProgress, noteDownload } from "./note-download.js";

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
  /** Aborts when a newer download of the device ends this one. */
  readonly cut: AbortSignal;
}

interface Opened {
  readonly requestId: string | null;
  readonly release: Release;
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly start: number;
  readonly end: number;
}

/**
 * So often a download looks whether it may go on. What it looks at is up to 750 ms old, so that a revoked
 * token's download ends within a second too (contract §2).
 */
const recheckMs = 250;

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

/** Records a download's first byte and, if it goes up to the image's end, its last. */
async function* noted(
  context: GatewayContext,
  device: Device,
  opened: Opened,
): AsyncGenerator<Uint8Array> {
  const { release, bytes, start, end } = opened;
  await note(context, device, opened, start === 0 ? "started" : "resumed");
  yield* whileAllowed(context, bytes, release, device);
  if (end === release.size) await note(context, device, opened, "finished");
}

/** Whether the credential that a device had is still its current one. */
async function isStillIn(
  { deviceCache }: GatewayContext,
  { deviceId, credential }: Device,
): Promise<boolean> {
  const device = await deviceCache.find(deviceId);
  return device?.revokedAt === null && device.credential.epoch === credential.epoch;
}

/** Breaks a download off when its release is paused or withdrawn, or its device's credential has ended. */
async function* whileAllowed(
  context: GatewayContext,
  bytes: AsyncIterable<Uint8Array>,
  { id, targetHardware }: Release,
  device: Device,
): AsyncGenerator<Uint8Array> {
  let checkedAt = context.clock.now();
  for await (const piece of bytes) {
    const now = context.clock.now();
    if (Math.abs(now - checkedAt) >= recheckMs) {
      checkedAt = now;
      if (!(await findDownloadable(context, id, targetHardware))) {
        throw new CutStreamError(`Release ${id} is not to be had any more.`);
      }
      if (!(await isStillIn(context, device))) {
        throw new CutStreamError(`The credential of device ${device.deviceId} has ended.`);
      }
    }
    yield piece;
  }
}

/** Takes one of a device's places for downloads when the first piece is read: HEAD reads none. */
async function* inSlot(
  { downloads }: GatewayContext,
  deviceId: string,
  cut: AbortController,
  pieces: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const giveBack = downloads.take(deviceId, () => {
    cut.abort(new CutStreamError(`Device ${deviceId} has begun another download.`));
  });
  try {
    yield* pieces;
  } finally {
    giveBack();
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
  const pieces = noted(context, device, { requestId, release, bytes, start, end });
  const cut = new AbortController();
  const stream = inSlot(context, device.deviceId, cut, pieces);
  return ok({ release, etag, part, stream, cut: cut.signal });
}
