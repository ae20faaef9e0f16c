import { err, type Result } from "neverthrow";
import type { GatewayContext } from "../context.js";
import type { Failure } from "../shared/failure.js";
import type { User } from "../user/user.js";
import { findVisibleDevice, type VisibleDevice } from "./visible-device.js";

/** Finds a device that the user owns. Returns `not_owner` if an operator sees the device but does not own it. */
export async function findOwnedDevice(
  context: GatewayContext,
  user: User,
  deviceId: string,
): Promise<Result<VisibleDevice, Failure<"device_not_found" | "not_owner">>> {
  const visible = await findVisibleDevice(context, user, deviceId);
  if (visible.isOk() && !visible.value.isOwner) return err({ code: "not_owner" });
  return visible;
}
