import type { GatewayContext } from "../context.js";
import { toBase64Url } from "../shared/bytes.js";
import type { Credential, Device } from "./device.js";

export interface NewCredential {
  readonly credential: Credential;
  /** The refresh material (§1). The gateway returns it once. */
  readonly deviceSecret: string;
}

/**
 * Creates a credential with a new secret. Its epoch is above all epochs of the device. It comes from the clock, so
 * that it is also above those of an erased device that had the same id.
 */
export function makeCredential(
  { random, secretHash, clock }: GatewayContext,
  device: Device | null,
): NewCredential {
  const now = clock.now();
  const deviceSecret = toBase64Url(random.bytes(32));
  const highest = Math.max(0, device?.credential.epoch ?? 0, device?.pendingCredential?.epoch ?? 0);
  const credential = {
    secretHash: secretHash.encode("device-secret", deviceSecret),
    epoch: Math.max(highest + 1, now),
    issuedAt: now,
  };
  return { credential, deviceSecret };
}
