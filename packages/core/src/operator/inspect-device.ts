import { err, ok, type Result } from "neverthrow";
import type { GatewayContext } from "../context.js";
import type { OperatorDevice } from "../contract/index.js";
import type { Failure } from "../shared/failure.js";
import { toOperatorDevice } from "./operator-device.js";

/** Returns what operators see of a device, such as its pinned version and its revocation (§8). */
export async function inspectDevice(
  { store }: GatewayContext,
  deviceId: string,
): Promise<Result<OperatorDevice, Failure<"device_not_found">>> {
  const device = await store.devices.find(deviceId);
  return device === null ? err({ code: "device_not_found" }) : ok(toOperatorDevice(device));
}
