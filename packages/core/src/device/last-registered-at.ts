import type { Device } from "./device.js";

/** When a device registered for the first time, or was given a credential since. */
export function lastRegisteredAt({ registeredAt, credential, pendingCredential }: Device): number {
  return Math.max(registeredAt, credential.issuedAt, pendingCredential?.issuedAt ?? registeredAt);
}
