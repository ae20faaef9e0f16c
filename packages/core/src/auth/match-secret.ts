import type { Credential, Device } from "../device/device.js";
import type { SecretHash } from "./secret-hash.js";

/**
 * Returns the device's credential that the secret belongs to, current or pending, or null. The work is the
 * same for every device and for an unknown one, so that the time does not reveal whether a device exists.
 */
export function matchSecret(
  secretHash: SecretHash,
  device: Device | null,
  secret: string,
): Credential | null {
  const { credential = null, pendingCredential = null } = device ?? {};
  const [isCurrent, isPending] = secretHash.matchesEach("device-secret", secret, [
    credential?.secretHash ?? null,
    pendingCredential?.secretHash ?? null,
  ] as const);
  if (isCurrent) return credential;
  return isPending ? pendingCredential : null;
}
