import type { GatewayContext } from "../../context.js";
import type { Device } from "../../device/device.js";
import { CutStreamError } from "../../shared/cut-stream-error.js";
import type { RequestOrigin } from "../../shared/request-origin.js";
import type { Release } from "../release/release.js";
import { type DownloadProgress, noteDownload } from "./note-download.js";
import { whileAllowed } from "./while-allowed.js";

export interface ImageStream {
  readonly stream: AsyncIterable<Uint8Array>;
  /** Aborts if the download must end while its client takes nothing, or because of a newer one of the device. */
  readonly cut: AbortSignal;
}

type Bytes = AsyncIterable<Uint8Array> & { destroy?(): unknown };

/** An image, or a range of it, that an artifact store has opened. */
export interface OpenedImage {
  readonly origin: RequestOrigin;
  readonly release: Release;
  readonly bytes: Bytes;
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

interface Ends {
  /** Aborts if the download must end although its client is there. */
  readonly cut: AbortController;
  /** Aborts then, and if the client has gone. */
  readonly over: AbortController;
}

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
  { downloads, downloadTurns }: GatewayContext,
  deviceId: string,
  { cut, over }: Ends,
  bytes: Bytes,
  pieces: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const giveBack = downloads.take(deviceId, () => {
    cut.abort(new CutStreamError(`Device ${deviceId} started another download.`));
  });
  let leave = () => {};
  try {
    leave = await downloadTurns.enter(deviceId, over.signal).catch(async (reason: unknown) => {
      await endUnread(bytes);
      throw reason;
    });
    for await (const piece of pieces) {
      leave();
      yield piece;
    }
  } finally {
    leave();
    giveBack();
  }
}

/** Returns the pieces as a stream that also ends `bytes` if it is ended before its first piece is read. */
function endingUnread(
  pieces: AsyncGenerator<Uint8Array>,
  bytes: Bytes,
  over: AbortController,
): AsyncIterable<Uint8Array> {
  let isStarted = false;
  const iterator: AsyncIterator<Uint8Array> = {
    next() {
      isStarted = true;
      return pieces.next();
    },
    async return() {
      if (!isStarted) await endUnread(bytes);
      over.abort(new CutStreamError("The client has gone."));
      // It rejects if the download still waited for its turn.
      return pieces.return(undefined).catch(() => ({ done: true, value: undefined }));
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}

/** Streams an image to a device, and records its progress. */
export function streamImage(
  context: GatewayContext,
  device: Device,
  opened: OpenedImage,
): ImageStream {
  const cut = new AbortController();
  const over = new AbortController();
  cut.signal.addEventListener("abort", () => over.abort(cut.signal.reason));
  const { bytes } = opened;
  const pieces = streamRecorded(context, device, opened, cut);
  const inTurn = inSlot(context, device.deviceId, { cut, over }, bytes, pieces);
  return { stream: endingUnread(inTurn, bytes, over), cut: cut.signal };
}
