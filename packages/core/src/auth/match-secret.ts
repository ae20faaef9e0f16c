import type { Credential, Device } from "../device/device.js";
import type { SecretHash } from "./secret-hash.js";

/**
 * The credential of a device that a secret is of: the current one or the pending one. Does the same
 * work for every device, and for none.
 */
export function matchSecret(
  secretHash: SecretHash,
  device: Device | null,
  secret: string,
): Credential | null {
  const { credential = null, pendingCredential = null } = device ?? {};
  const matches = (candidate: Credential | null) =>
    secretHash.matches("device-secret", secret, candidate?.secretHash ?? null);
  const [isCurrent, isPending] = [matches(credential), matches(pendingCredential)];
  if (isCurrent) return credential;
  return isPending ? pendingCredential : null;
}
