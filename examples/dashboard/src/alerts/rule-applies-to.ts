import type { AlertRuleAnswer, DeviceSummary } from "@device-gateway/core/contract";

type Target = Pick<AlertRuleAnswer, "deviceId" | "targetHardware">;

/** Returns a function that says whether a rule applies to a device. */
export const ruleAppliesTo =
  (rule: Target) =>
  ({ id, targetHardware }: Pick<DeviceSummary, "id" | "targetHardware">): boolean =>
    (rule.deviceId === null || rule.deviceId === id) &&
    (rule.targetHardware === null || rule.targetHardware === targetHardware);
