import { err, ok, type Result } from "neverthrow";
import type { GatewayContext } from "../context.js";
import type { Device } from "../device/device.js";
import type { Failure } from "../shared/failure.js";
import { isOperator, type User } from "../user/user.js";

/** A device that a user may see, and the time from which its records are visible. */
export interface VisibleDevice {
  readonly device: Device;
  readonly isOwner: boolean;
  /** Epoch milliseconds. The user does not see records that were measured or received earlier. */
  readonly from: number;
}

/** Returns what the user may see of a device, or undefined if the user may not see it (§7). */
export function visibleTo(user: User, device: Device): VisibleDevice | undefined {
  const { ownership } = device;
  if (ownership?.ownerId === user.id) {
    return { device, isOwner: true, from: ownership.visibleFrom };
  }
  return isOperator(user) ? { device, isOwner: false, from: 0 } : undefined;
}

/** Finds a device that the user may see. A device that the user may not see is not found (§0). */
export async function findVisibleDevice(
  { store }: GatewayContext,
  user: User,
  deviceId: string,
): Promise<Result<VisibleDevice, Failure<"device_not_found">>> {
  const device = await store.devices.find(deviceId);
  const visible = device === null ? undefined : visibleTo(user, device);
  return visible === undefined ? err({ code: "device_not_found" }) : ok(visible);
}
