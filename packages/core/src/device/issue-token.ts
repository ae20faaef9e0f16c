import { readConfig } from "../config/read-config.js";
import type { GatewayContext } from "../context.js";
import type { LoginAnswer } from "../contract/index.js";
import { toTimestamp } from "../shared/timestamp.js";
import type { Credential, Device } from "./device.js";

/** Issues a token for one of a device's credentials. The response contains the device's configuration. */
export async function issueToken(
  context: GatewayContext,
  device: Device,
  credential: Credential,
): Promise<LoginAnswer> {
  const { deviceId } = device;
  const { token, expiresIn, expiresAt } = await context.deviceTokens.issue({
    deviceId,
    epoch: credential.epoch,
    now: context.clock.now(),
  });
  const config = readConfig(context, device);
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
