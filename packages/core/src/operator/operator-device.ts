import type { OperatorDevice } from "../contract/index.js";
import type { Device } from "../device/device.js";
import { toTimestamp, toTimestampOrNull } from "../shared/timestamp.js";

/** Describes a device for operators. */
export const toOperatorDevice = (device: Device): OperatorDevice => ({
  id: device.deviceId,
  name: device.name,
  hardwareId: device.profile.hardwareId,
  targetHardware: device.profile.targetHardware,
  firmwareVersion: device.profile.firmwareVersion,
  otaChannel: device.ota.channel,
  pinnedVersion: device.ota.pinnedVersion,
  benchMode: device.ota.benchMode,
  ownerId: device.ownership?.ownerId ?? null,
  claimedAt: toTimestampOrNull(device.ownership?.claimedAt),
  registeredAt: toTimestamp(device.registeredAt),
  firstUsedAt: toTimestampOrNull(device.firstUsedAt),
  lastSeen: toTimestampOrNull(device.lastSeenAt),
  revokedAt: toTimestampOrNull(device.revokedAt),
});
