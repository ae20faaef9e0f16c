import type { OperatorDevice } from "../contract/index.js";
import type { Device } from "../device/device.js";
import { toTimestamp } from "../timestamp.js";

const timeOf = (epochMs: number | null | undefined) =>
  epochMs === null || epochMs === undefined ? null : toTimestamp(epochMs);

/** Describes a device for operators. */
export const toOperatorDevice = (device: Device): OperatorDevice => ({
  id: device.deviceId,
  hardwareId: device.profile.hardwareId,
  targetHardware: device.profile.targetHardware,
  firmwareVersion: device.profile.firmwareVersion,
  otaChannel: device.ota.channel,
  pinnedVersion: device.ota.pinnedVersion,
  ownerId: device.ownership?.ownerId ?? null,
  claimedAt: timeOf(device.ownership?.claimedAt),
  registeredAt: toTimestamp(device.registeredAt),
  firstUsedAt: timeOf(device.firstUsedAt),
  lastSeen: timeOf(device.lastSeenAt),
  revokedAt: timeOf(device.revokedAt),
});
