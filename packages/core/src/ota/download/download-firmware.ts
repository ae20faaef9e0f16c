import { err, ok, type Result } from "neverthrow";
import type { GatewayContext } from "../../context.js";
import type { Device } from "../../device/device.js";
import { StoreUnavailableError } from "../../ports/store-unavailable-error.js";
import { CutStreamError } from "../../shared/cut-stream-error.js";
import type { Failure } from "../../shared/failure.js";
import type { RequestOrigin } from "../../shared/request-origin.js";
import type { Release } from "../release/release.js";
import { parseByteRange } from "./byte-range.js";
import { findDownloadable } from "./find-downloadable.js";
import { type DownloadProgress, noteDownload } from "./note-download.js";
import { whileAllowed } from "./while-allowed.js";

export interface DownloadRequest {
  readonly origin: RequestOrigin;
  readonly releaseId: number;
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
}

export interface Download {
  readonly release: Release;
  readonly etag: string;
  /** Null for the whole image. */
  readonly part: { readonly start: number; readonly end: number } | null;
  readonly stream: AsyncIterable<Uint8Array>;
  /** Aborts if the download must end while its client takes nothing, or because of a newer one of the device. */
  readonly cut: AbortSignal;
}

interface OpenedImage {
  readonly origin: RequestOrigin;
  readonly release: Release;
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly start: number;
  readonly end: number;
}

/** Records progress in the device's history. A failure to record it does not stop the download. */
async function recordProgress(
  context: GatewayContext,
  device: Device,
  { release, origin }: OpenedImage,
  progress: DownloadProgress,
): Promise<void> {
  try {
    await noteDownload(context, device, release, progress, origin);
  } catch (error) {
    const { deviceId } = device;
    const { requestId } = origin;
    context.logger.warn(
      { requestId, deviceId, err: error },
      "Could not record the progress of a download",
    );
  }
}

/** Streams an image. Records its first byte and, if the range includes the image's end, its last byte. */
async function* streamRecorded(
  context: GatewayContext,
  device: Device,
  opened: OpenedImage,
  cut: AbortController,
): AsyncGenerator<Uint8Array> {
  const { release, bytes, start, end } = opened;
  await recordProgress(context, device, opened, start === 0 ? "started" : "resumed");
  yield* whileAllowed(context, bytes, release, device, cut);
  if (end === release.size) await recordProgress(context, device, opened, "finished");
}

type Bytes = AsyncIterable<Uint8Array> & { destroy?(): unknown };

/** Ends an image that nobody has begun to read. A generator that has not started runs no `finally`. */
async function endUnread(bytes: Bytes): Promise<void> {
  // The iterator of a Node stream is such a generator too.
  bytes.destroy?.();
  await bytes[Symbol.asyncIterator]().return?.();
}

/**
 * Takes one of the device's download slots when the first piece is read. HEAD reads none. First pieces are read in turn,
 * because a device may request one byte of an image again and again.
 */
async function* inSlot(
  { downloads, downloadsInTurn }: GatewayContext,
  deviceId: string,
  cut: AbortController,
  bytes: Bytes,
  pieces: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const giveBack = downloads.take(deviceId, () => {
    cut.abort(new CutStreamError(`Device ${deviceId} started another download.`));
  });
  try {
    const first = await downloadsInTurn(deviceId, async () => {
      if (cut.signal.aborted) await endUnread(bytes);
      cut.signal.throwIfAborted();
      return pieces.next();
    });
    if (first.done) return;
    yield first.value;
    yield* pieces;
  } finally {
    giveBack();
  }
}

/** Returns the pieces as a stream that also ends `bytes` if it is ended before its first piece is read. */
function endingUnread(pieces: AsyncGenerator<Uint8Array>, bytes: Bytes): AsyncIterable<Uint8Array> {
  let isStarted = false;
  const iterator: AsyncIterator<Uint8Array> = {
    next() {
      isStarted = true;
      return pieces.next();
    },
    async return() {
      if (!isStarted) await endUnread(bytes);
      return pieces.return(undefined);
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}

/** Opens an image, or the requested range of it, for a device (§6). */
export async function downloadFirmware(
  context: GatewayContext,
  device: Device,
  { origin, releaseId, range, ifRange }: DownloadRequest,
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
  const cut = new AbortController();
  const opened = { origin, release, bytes, start, end };
  const pieces = streamRecorded(context, device, opened, cut);
  const stream = endingUnread(inSlot(context, device.deviceId, cut, bytes, pieces), bytes);
  return ok({ release, etag, part, stream, cut: cut.signal });
}
