import { sha256 } from "@noble/hashes/sha2.js";
import { toUtf8 } from "../../shared/bytes.js";

const range = 2 ** 32;

/**
 * Returns a device's place in the rollout of a release, from 0 to 100 (exclusive). Places are evenly spread, always
 * the same, and independent between releases, so that different devices go first each time.
 */
export function rolloutPlace(deviceId: string, releaseId: number): number {
  const digest = sha256(toUtf8(`${releaseId}\n${deviceId}`));
  return (new DataView(digest.buffer, digest.byteOffset).getUint32(0) / range) * 100;
}

/** Returns whether a rollout's share includes a device. A higher share includes all devices of a lower one. */
export function isInRollout(deviceId: string, releaseId: number, percent: number): boolean {
  return percent >= 100 || rolloutPlace(deviceId, releaseId) < percent;
}
