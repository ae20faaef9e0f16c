import { err, ok, type Result } from "neverthrow";
import { findVisibleDevice, type VisibleDevice } from "../access/visible-device.js";
import type { GatewayContext } from "../context.js";
import type { DeviceSummary } from "../contract/index.js";
import { readVisibleMetadata } from "../metadata/read-metadata.js";
import { findLatestRefusals } from "../refusal/read-refusals.js";
import type { Failure } from "../shared/failure.js";
import type { JsonObject } from "../shared/json.js";
import { toTimestamp } from "../shared/timestamp.js";
import type { StoredTelemetryRecord } from "../telemetry/telemetry-store.js";
import type { User } from "../user/user.js";
import { summariseDevice } from "./summarise-device.js";

export interface DeviceDetail {
  readonly device: DeviceSummary;
  readonly telemetry: JsonObject;
  readonly metadata?: Record<string, unknown>;
}

async function latestOf({ store }: GatewayContext, { device, from }: VisibleDevice) {
  const [latest = null] = await store.telemetry.latest([{ deviceId: device.deviceId, from }]);
  return latest;
}

async function summarise(
  context: GatewayContext,
  visible: VisibleDevice,
  latest: StoredTelemetryRecord | null,
): Promise<DeviceSummary> {
  const [refusedAt = null] = await findLatestRefusals(context, [visible]);
  const releases = await context.releaseCatalog.list();
  return summariseDevice(context, visible, { latest, refusedAt, releases });
}

/** Describes a device that the user may see. */
export async function describeDevice(
  context: GatewayContext,
  visible: VisibleDevice,
): Promise<DeviceSummary> {
  const needsLatest = context.policies.summaryMetrics.length > 0;
  const latest = needsLatest ? await latestOf(context, visible) : null;
  return summarise(context, visible, latest);
}

/** Returns a device with its latest record and the metadata that the user can read (§7). */
export async function readDevice(
  context: GatewayContext,
  user: User,
  deviceId: string,
): Promise<Result<DeviceDetail, Failure<"device_not_found">>> {
  const visible = await findVisibleDevice(context, user, deviceId);
  if (visible.isErr()) return err(visible.error);
  const latest = await latestOf(context, visible.value);
  const telemetry = latest === null ? {} : { ...latest.value, timestamp: toTimestamp(latest.at) };
  const device = await summarise(context, visible.value, latest);
  const metadata = await readVisibleMetadata(context, visible.value);
  return ok({ device, telemetry, ...(metadata && { metadata }) });
}
