import type { Device } from "./device.js";

/**
 * Returns when a device registered or received its latest credential, in epoch milliseconds.
 *
 * @example
 * const isOld = lastRegisteredAt(device) < before;
 */
export function lastRegisteredAt({ registeredAt, credential, pendingCredential }: Device): number {
  return Math.max(registeredAt, credential.issuedAt, pendingCredential?.issuedAt ?? registeredAt);
}
