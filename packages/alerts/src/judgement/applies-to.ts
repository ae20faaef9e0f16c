import type { AlertRule, Device } from "@device-gateway/core/store";

/** Returns whether a rule of the device's owner or of the operators applies to the device. */
export const appliesTo = (rule: AlertRule, { deviceId, profile, ownership }: Device): boolean =>
  (rule.ownerId === null || rule.ownerId === ownership?.ownerId) &&
  (rule.deviceId ?? deviceId) === deviceId &&
  (rule.targetHardware ?? profile.targetHardware) === profile.targetHardware;
