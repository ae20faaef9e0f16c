import type { AlertAnswer, AlertRuleAnswer } from "../contract/index.js";
import { toTimestamp, toTimestampOrNull } from "../shared/timestamp.js";
import type { Alert } from "./alert.js";
import type { AlertRule } from "./alert-rule.js";

const scopeOf = (ownerId: string | null) => (ownerId === null ? "operator" : "own");

/** Describes a rule for the dashboard. */
export const toRuleAnswer = (rule: AlertRule): AlertRuleAnswer => ({
  id: rule.id,
  scope: scopeOf(rule.ownerId),
  name: rule.name,
  condition: rule.condition,
  deviceId: rule.deviceId,
  targetHardware: rule.targetHardware,
  reminderSeconds: rule.reminderSeconds,
  mutedUntil: toTimestampOrNull(rule.mutedUntil),
  createdAt: toTimestamp(rule.createdAt),
  changedAt: toTimestamp(rule.changedAt),
});

const textOr = (value: unknown, otherwise: string) =>
  typeof value === "string" ? value : otherwise;
const numberOrNull = (value: unknown) => (typeof value === "number" ? value : null);

/** Describes an alert for the dashboard. */
export const toAlertAnswer = (alert: Alert): AlertAnswer => ({
  id: alert.id,
  ruleId: alert.ruleId,
  scope: scopeOf(alert.ownerId),
  name: textOr(alert.details["name"], alert.subject),
  kind: textOr(alert.details["condition"], "unknown"),
  deviceId: alert.deviceId === "" ? null : alert.deviceId,
  releaseId: numberOrNull(alert.details["releaseId"]),
  state: alert.clearedAt === null ? "firing" : "cleared",
  firedAt: toTimestamp(alert.firedAt),
  clearedAt: toTimestampOrNull(alert.clearedAt),
  value: numberOrNull(alert.details["value"]),
  acknowledgedAt: toTimestampOrNull(alert.acknowledgedAt),
  acknowledgedBy: alert.acknowledgedBy,
  mutedUntil: toTimestampOrNull(alert.mutedUntil),
});
