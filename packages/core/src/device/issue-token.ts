import type { GatewayContext } from "../context.js";
import type { LoginAnswer } from "../contract/index.js";
import { toTimestamp } from "../timestamp.js";
import type { Device } from "./device.js";

/** Issues a fresh token for a device's credential, with the configuration that goes with it. */
export async function issueToken(context: GatewayContext, device: Device): Promise<LoginAnswer> {
  const { deviceId, credential } = device;
  const { token, expiresIn, expiresAt } = await context.deviceTokens.issue({
    deviceId,
    epoch: credential.epoch,
    now: context.clock.now(),
  });
  const config = context.configLayers.effective(device);
  return {
    deviceId,
    token,
    tokenType: "Bearer",
    expiresIn,
    expiresAt: toTimestamp(expiresAt),
    configVersion: config.configVersion,
    config,
  };
}
