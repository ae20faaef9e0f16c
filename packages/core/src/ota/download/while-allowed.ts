import type { GatewayContext } from "../../context.js";
import type { Device } from "../../device/device.js";
import { findCurrentDevice } from "../../device/find-current-device.js";
import { CutStreamError } from "../../shared/cut-stream-error.js";
import type { Release } from "../release/release.js";
import { findDownloadable } from "./find-downloadable.js";

/**
 * How often a download checks whether it may continue. The checked data is up to 750 ms old, so a revoked token's
 * download also ends within one second (§2).
 */
const recheckMs = 250;

/** Rejects with a `CutStreamError` if the release is not active any more, or the device's credential is not valid. */
async function checkAllowed(
  context: GatewayContext,
  { id, targetHardware }: Release,
  device: Device,
): Promise<void> {
  if (!(await findDownloadable(context, id, targetHardware))) {
    throw new CutStreamError(`Release ${id} is no longer active.`);
  }
  if ((await findCurrentDevice(context, device)) === null) {
    throw new CutStreamError(`The credential of device ${device.deviceId} is not valid any more.`);
  }
}

/**
 * Repeats a check until the returned function is called. If the check rejects with a `CutStreamError`, calls `end` with
 * it. If the store does not answer, the check before the next piece decides: a stream that nobody reads any more must not
 * be checked forever.
 */
function keepChecking(check: () => Promise<void>, end: (reason: CutStreamError) => void) {
  let timer: ReturnType<typeof setTimeout>;
  let isStopped = false;
  const schedule = () => {
    if (isStopped) return;
    timer = setTimeout(() => void check().then(schedule, stopAt), recheckMs);
    // On Node a timer keeps the process alive. In other runtimes it is a number.
    (timer as unknown as { unref?: () => void }).unref?.();
  };
  const stopAt = (fault: unknown) => {
    if (!isStopped && fault instanceof CutStreamError) end(fault);
  };
  schedule();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

/**
 * Ends a download if its release is paused or withdrawn, or if its device's credential is not valid any more. While the
 * client takes nothing, no piece is read, so `cut` ends the download then.
 */
export async function* whileAllowed(
  context: GatewayContext,
  bytes: AsyncIterable<Uint8Array>,
  release: Release,
  device: Device,
  authenticatedAt: number,
  cut: AbortController,
): AsyncGenerator<Uint8Array> {
  let checkedAt = authenticatedAt;
  const check = async () => {
    const now = context.clock.now();
    await checkAllowed(context, release, device);
    checkedAt = now;
  };
  for await (const piece of bytes) {
    if (Math.abs(context.clock.now() - checkedAt) >= recheckMs) await check();
    const stop = keepChecking(check, (reason) => cut.abort(reason));
    try {
      yield piece;
    } finally {
      stop();
    }
  }
}
