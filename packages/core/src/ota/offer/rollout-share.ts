import { sha256 } from "@noble/hashes/sha2.js";
import { toUtf8 } from "../../shared/bytes.js";

const range = 2 ** 32;

/**
 * Where a device stands in the rollout of a release, 0 to 100 (exclusive): evenly spread, always the
 * same, and unrelated between releases, so that it isn't always the same devices that go first.
 */
export function rolloutPlace(deviceId: string, releaseId: number): number {
  const digest = sha256(toUtf8(`${releaseId}\n${deviceId}`));
  return (new DataView(digest.buffer, digest.byteOffset).getUint32(0) / range) * 100;
}

/** Whether a device is among the share that is offered a release. Raising it keeps all who were. */
export function isInRollout(deviceId: string, releaseId: number, percent: number): boolean {
  return percent >= 100 || rolloutPlace(deviceId, releaseId) < percent;
}
