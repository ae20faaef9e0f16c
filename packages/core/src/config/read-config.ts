import type { GatewayContext } from "../context.js";
import type { DeviceConfig } from "../contract/index.js";
import type { Device } from "../device/device.js";

/** Returns the configuration as a device reads it (§5), with the hint that commands wait. */
export function readConfig(
  { configLayers }: Pick<GatewayContext, "configLayers">,
  device: Device,
): DeviceConfig {
  const config = configLayers.effective(device);
  return device.commandsWaiting ? { ...config, commandsWaiting: true } : config;
}
