import type { GatewayContext } from "../context.js";
import type { Device } from "../device/device.js";

/** RFC 6750, section 2.1. */
const bearer = /^Bearer +([\w.~+/-]+=*)$/i;

/**
 * The device that an Authorization header speaks for: its token is ours, unexpired, and of the
 * credential that the device has now. Null for anything else.
 */
export async function authenticateDevice(
  context: GatewayContext,
  authorization: string | undefined,
): Promise<Device | null> {
  const token = bearer.exec(authorization ?? "")?.[1];
  if (token === undefined) return null;
  const claims = await context.deviceTokens.verify(token, context.clock.now());
  if (claims === null) return null;
  const device = await context.store.devices.find(claims.deviceId);
  return device?.credential.epoch === claims.epoch ? device : null;
}
