import { err, ok, type Result } from "neverthrow";
import type { VisibleDevice } from "../access/visible-device.js";
import type { GatewayContext } from "../context.js";
import type { Failure } from "../shared/failure.js";
import type { JsonObject } from "../shared/json.js";
import { type MetadataAnswer, toMetadataAnswer, visibleMetadata } from "./metadata-answer.js";

/** Returns all metadata of a device for an operator (§8). */
export async function readMetadata(
  { store }: GatewayContext,
  deviceId: string,
): Promise<Result<MetadataAnswer, Failure<"device_not_found">>> {
  if ((await store.devices.find(deviceId)) === null) return err({ code: "device_not_found" });
  return ok(toMetadataAnswer(await store.metadata.find(deviceId)));
}

/** Returns the metadata that a user of the dashboard can read (§7). Undefined if owners can read none. */
export async function readVisibleMetadata(
  { store, metadata: { ownerReadable } }: GatewayContext,
  { device, from }: VisibleDevice,
): Promise<JsonObject | undefined> {
  if (ownerReadable.length === 0) return undefined;
  const found = await store.metadata.find(device.deviceId);
  return found === null ? {} : visibleMetadata(found, ownerReadable, from);
}
