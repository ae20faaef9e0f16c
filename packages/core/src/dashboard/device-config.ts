import { err, ok, type Result } from "neverthrow";
import { findOwnedDevice } from "../access/find-owned-device.js";
import { findVisibleDevice } from "../access/visible-device.js";
import { configureDevice } from "../config/configure-device.js";
import type { GatewayContext, RequestOrigin } from "../context.js";
import type { DeviceConfigAnswer } from "../contract/index.js";
import type { Device } from "../device/device.js";
import type { Failure } from "../shared/failure.js";
import type { JsonObject } from "../shared/json.js";
import type { User } from "../user/user.js";

function toAnswer({ configLayers }: GatewayContext, device: Device): DeviceConfigAnswer {
  const config = configLayers.effective(device);
  const { values } = device.configOverrides;
  return { config, overrides: { ...values }, configVersion: config.configVersion };
}

/** Returns a device's configuration and its own overrides (§8). */
export async function readDeviceConfig(
  context: GatewayContext,
  user: User,
  deviceId: string,
): Promise<Result<DeviceConfigAnswer, Failure<"device_not_found">>> {
  const visible = await findVisibleDevice(context, user, deviceId);
  return visible.map(({ device }) => toAnswer(context, device));
}

export interface ConfigRequest {
  readonly deviceId: string;
  readonly patch: JsonObject;
  readonly accepts: (configVersion: string) => boolean;
}

type ChangeFailure = Failure<
  "device_not_found" | "not_owner" | "invalid_request" | "precondition_failed"
>;

/** Changes a device's settings for its owner (§8). */
export async function changeDeviceConfig(
  context: GatewayContext,
  user: User,
  { deviceId, patch, accepts }: ConfigRequest,
  origin: RequestOrigin,
): Promise<Result<DeviceConfigAnswer, ChangeFailure>> {
  const owned = await findOwnedDevice(context, user, deviceId);
  if (owned.isErr()) return err(owned.error);
  const ownerId = user.id;
  const change = { deviceId, patch, actor: user.id, ownerId, accepts, origin };
  const configured = await configureDevice(context, change);
  if (configured.isOk()) return ok(toAnswer(context, configured.value));
  const failure = configured.error;
  switch (failure.code) {
    case "invalid_config":
      return err({ code: "invalid_request", errors: failure.errors });
    case "version_changed":
      return err({ code: "precondition_failed" });
    case "unknown_device":
      return err({ code: "device_not_found" });
  }
}
