import { err, ok, type Result } from "neverthrow";
import type { GatewayContext } from "../context.js";
import type { Device } from "../device/device.js";
import type { Failure } from "../shared/failure.js";
import { isOperator, type User } from "../user/user.js";

/** A device as one user may see it. */
export interface VisibleDevice {
  readonly device: Device;
  readonly isOwner: boolean;
  /** What was measured or received before is hidden, in epoch milliseconds. */
  readonly from: number;
}

/** What of a device a user may see; undefined if nothing (contract §7). */
export function visibleTo(user: User, device: Device): VisibleDevice | undefined {
  const { ownership } = device;
  if (ownership?.ownerId === user.id) {
    return { device, isOwner: true, from: ownership.visibleFrom };
  }
  return isOperator(user) ? { device, isOwner: false, from: 0 } : undefined;
}

/** Finds a device that the user may see. One that they may not is as one that does not exist. */
export async function findVisibleDevice(
  { store }: GatewayContext,
  user: User,
  deviceId: string,
): Promise<Result<VisibleDevice, Failure<"device_not_found">>> {
  const device = await store.devices.find(deviceId);
  const visible = device === null ? undefined : visibleTo(user, device);
  return visible === undefined ? err({ code: "device_not_found" }) : ok(visible);
}
