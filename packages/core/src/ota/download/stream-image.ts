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
  /** When the device was authenticated, in epoch milliseconds. */
  readonly authenticatedAt: number;
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
  const { release, bytes, start, end, authenticatedAt } = opened;
  await recordProgress(context, device, opened, start === 0 ? "started" : "resumed");
  yield* whileAllowed(context, bytes, release, device, authenticatedAt, cut);
  if (end === release.size) await recordProgress(context, device, opened, "finished");
}

/** Ends an image that nobody has begun to read. A generator that has not started runs no `finally`. */
async function endUnread(bytes: Bytes): Promise<void> {
  // The iterator of a Node stream is such a generator too.
  bytes.destroy?.();
  await bytes[Symbol.asyncIterator]().return?.();
}

/** Takes one of the device's download slots when the first piece is read. HEAD reads none. */
async function* inSlot(
  { downloads }: GatewayContext,
  deviceId: string,
  cut: AbortController,
  pieces: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const giveBack = downloads.take(deviceId, () => {
    cut.abort(new CutStreamError(`Device ${deviceId} started another download.`));
  });
  try {
    yield* pieces;
  } finally {
    giveBack();
  }
}

/**
 * Returns the pieces as a stream that calls `leave` when its first piece is read or it ends. If it is ended before that
 * piece is requested, it also ends `bytes`.
 */
function endingTurn(
  pieces: AsyncGenerator<Uint8Array>,
  bytes: Bytes,
  leave: () => void,
): AsyncIterable<Uint8Array> {
  let isStarted = false;
  const iterator: AsyncIterator<Uint8Array> = {
    next() {
      if (isStarted) return pieces.next();
      isStarted = true;
      return pieces.next().finally(leave);
    },
    async return() {
      leave();
      if (!isStarted) await endUnread(bytes);
      return pieces.return(undefined);
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}

/** Streams an image to a device, and records its progress. Calls `leave` when the first piece is read or the stream ends. */
export function streamImage(
  context: GatewayContext,
  device: Device,
  opened: OpenedImage,
  leave: () => void,
): ImageStream {
  const cut = new AbortController();
  const pieces = streamRecorded(context, device, opened, cut);
  const inDeviceSlot = inSlot(context, device.deviceId, cut, pieces);
  return { stream: endingTurn(inDeviceSlot, opened.bytes, leave), cut: cut.signal };
}
