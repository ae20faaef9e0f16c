import { err, ok, type Result } from "neverthrow";
import { findOwnedDevice } from "../access/find-owned-device.js";
import { findVisibleDevice } from "../access/visible-device.js";
import { type ConfigChange, configureDevice } from "../config/configure-device.js";
import type { GatewayContext } from "../context.js";
import type { DeviceConfigAnswer } from "../contract/index.js";
import type { Device } from "../device/device.js";
import type { Failure } from "../shared/failure.js";
import type { JsonObject } from "../shared/json.js";
import type { RequestOrigin } from "../shared/request-origin.js";
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
  readonly checkDeadline: () => void;
}

type ChangeFailure = Failure<"device_not_found" | "invalid_request" | "precondition_failed">;

async function change(
  context: GatewayContext,
  wanted: ConfigChange,
): Promise<Result<DeviceConfigAnswer, ChangeFailure>> {
  const configured = await configureDevice(context, wanted);
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

/** Changes a device's settings for its owner (§8). */
export async function changeDeviceConfig(
  context: GatewayContext,
  user: User,
  request: ConfigRequest,
  origin: RequestOrigin,
): Promise<Result<DeviceConfigAnswer, ChangeFailure | Failure<"not_owner">>> {
  const owned = await findOwnedDevice(context, user, request.deviceId);
  if (owned.isErr()) return err(owned.error);
  return change(context, { ...request, actor: user.id, ownerId: user.id, origin });
}

/** Changes the settings of any device for the embedder. */
export const configureAnyDevice = (
  context: GatewayContext,
  operator: User,
  request: ConfigRequest,
  origin: RequestOrigin,
): Promise<Result<DeviceConfigAnswer, ChangeFailure>> =>
  change(context, { ...request, actor: operator.id, ownerId: null, origin });
