import type { GatewayContext } from "../context.js";
import type { RequestOrigin } from "../shared/request-origin.js";
import type { Device } from "./device.js";
import { useCredential } from "./use-credential.js";

const latestEpoch = ({ credential, pendingCredential }: Device): number =>
  Math.max(credential.epoch, pendingCredential?.epoch ?? 0);

/**
 * Returns the device that a token authenticates, or null (§2). The token must be one of this gateway's, must not
 * have expired, and must belong to the current or pending credential of a device that is not revoked.
 */
export async function authenticateDevice(
  context: GatewayContext,
  token: string,
  origin: RequestOrigin,
): Promise<Device | null> {
  const now = context.clock.now();
  const claims = await context.deviceTokens.verify(token, now);
  if (claims === null) return null;
  const { deviceId, epoch } = claims;
  const cached = await context.deviceCache.find(deviceId);
  // Another process may have issued the token a moment ago.
  const device =
    cached !== null && epoch > latestEpoch(cached)
      ? await context.store.devices.find(deviceId)
      : cached;
  if (device === null || device.revokedAt !== null) return null;
  const { credential, pendingCredential, firstUsedAt } = device;
  if (epoch === credential.epoch && firstUsedAt !== null) return device;
  if (epoch !== credential.epoch && epoch !== pendingCredential?.epoch) return null;
  return useCredential(context, device, epoch, origin);
}
