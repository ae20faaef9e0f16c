import type { GatewayContext } from "../context.js";
import type { Device } from "./device.js";

/**
 * Returns the device as it is now, or null if its tokens have ended since it was read: it was revoked or erased, or has
 * a newer credential (§2).
 */
export async function findCurrentDevice(
  { deviceCache }: Pick<GatewayContext, "deviceCache">,
  { deviceId, credential }: Device,
): Promise<Device | null> {
  const current = await deviceCache.find(deviceId);
  const isValid = current?.revokedAt === null && current.credential.epoch === credential.epoch;
  return isValid ? current : null;
}
