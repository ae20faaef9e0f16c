import { err, ok, type Result } from "neverthrow";
import type { GatewayContext } from "../../context.js";
import type { Device } from "../../device/device.js";
import { StoreUnavailableError } from "../../ports/store-unavailable-error.js";
import type { Failure } from "../../shared/failure.js";
import type { RequestOrigin } from "../../shared/request-origin.js";
import type { Release } from "../release/release.js";
import { parseByteRange } from "./byte-range.js";
import { findDownloadable } from "./find-downloadable.js";
import { type ImageStream, streamImage } from "./stream-image.js";

export interface DownloadRequest {
  readonly origin: RequestOrigin;
  readonly releaseId: number;
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
  /** Rejects if the client has gone or the request has timed out. */
  readonly turn: () => Promise<void>;
}

export interface Download extends ImageStream {
  readonly release: Release;
  readonly etag: string;
  /** Null for the whole image. */
  readonly part: { readonly start: number; readonly end: number } | null;
}

type DownloadOutcome = Result<Download, Failure<"release_not_found" | "range_not_satisfiable">>;

/** Opens the image. Calls `leave` when the first piece is read, but not if it returns an error. */
async function openImage(
  context: GatewayContext,
  device: Device,
  { origin, releaseId, range, ifRange }: DownloadRequest,
  authenticatedAt: number,
  leave: () => void,
): Promise<DownloadOutcome> {
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
  const opened = { origin, release, bytes, start, end, authenticatedAt };
  return ok({ release, etag, part, ...streamImage(context, device, opened, leave) });
}

/**
 * Opens an image, or the requested range of it, for a device (§6). The downloads of a device begin in turn, because it
 * may request one byte of an image again and again. A turn ends when the first piece is read.
 */
export async function downloadFirmware(
  context: GatewayContext,
  device: Device,
  request: DownloadRequest,
): Promise<DownloadOutcome> {
  const authenticatedAt = context.clock.now();
  const leave = await context.downloadTurns.enter(device.deviceId, request.turn);
  try {
    const opened = await openImage(context, device, request, authenticatedAt, leave);
    if (opened.isErr()) leave();
    return opened;
  } catch (error) {
    leave();
    throw error;
  }
}
