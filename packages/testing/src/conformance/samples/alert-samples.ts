import type {
  Alert,
  AlertNotification,
  AlertRule,
  AlertTransition,
  AlertWatch,
  GatewayStore,
  SecurityEventKind,
} from "@device-gateway/core/store";
import {
  registerSampleDevice,
  sampleOwnership,
  sampleSecurityEvent,
  sampleTime,
} from "./samples.js";

/**
 * Returns a rule about silence.
 *
 * @example
 * const rule = sampleAlertRule("rule-1", { ownerId: "alice" });
 */
export const sampleAlertRule = (id: string, changes: Partial<AlertRule> = {}): AlertRule => ({
  ...{ id, revision: 1, ownerId: "owner", deviceId: null, targetHardware: null, name: "Silent" },
  condition: { kind: "silent", intervals: 5 },
  ...{ reminderSeconds: null, mutedUntil: null, createdAt: sampleTime, changedAt: sampleTime },
  ...changes,
});

/** Returns an alert that fires. */
export const sampleAlert = (id: string, changes: Partial<Alert> = {}): Alert => ({
  ...{ id, ruleId: "rule-1", ownerId: "owner", subject: "gw-1", deviceId: "gw-1" },
  ...{ firedAt: sampleTime, clearedAt: null, acknowledgedAt: null, acknowledgedBy: null },
  ...{ mutedUntil: null, remindedAt: null, details: { name: "Silent", value: 1.5 } },
  ...changes,
});

/** Returns the notification that an alert fires. */
export const sampleNotification = (
  alert: Alert,
  changes: Partial<AlertNotification> = {},
): AlertNotification => ({
  ...{ id: `${alert.id}-firing`, alertId: alert.id, ruleId: alert.ruleId },
  ...{ ownerId: alert.ownerId, deviceId: alert.deviceId, kind: "firing", at: alert.firedAt },
  ...{ dueAt: alert.firedAt, attempts: 0, delivered: [], details: alert.details },
  ...changes,
});

/** Returns the first watch of a device. */
export const sampleWatch = (deviceId: string, changes: Partial<AlertWatch> = {}): AlertWatch => ({
  ...{ deviceId, revision: 1, content: { position: 1 }, receivedAt: sampleTime },
  ...{ dueAt: sampleTime + 1_000, silentAt: null },
  ...changes,
});

export const alertEvent = (kind: SecurityEventKind, deviceId = "gw-1") =>
  sampleSecurityEvent(deviceId, kind);

export const firing = (alert: Alert): AlertTransition => ({
  ...{ kind: "firing", alert, event: alertEvent("alert.firing", alert.deviceId) },
  notification: sampleNotification(alert),
});

export const createRule = (store: GatewayStore, rule: AlertRule, most = 50) =>
  store.alerts.createRule({ rule, most, event: alertEvent("alert_rule.created", "") });

/** Judges a device of `sampleOwnership()` for the first time. */
export const judge = (
  store: GatewayStore,
  transitions: readonly AlertTransition[],
  changes: Partial<Parameters<GatewayStore["alerts"]["judge"]>[0]> = {},
) =>
  store.alerts.judge({
    watch: sampleWatch("gw-1"),
    expectedRevision: null,
    owner: { ownerId: "owner", claimedAt: sampleTime + 1 },
    transitions,
    ...changes,
  });

/** Registers the device gw-1 with an owner who has a rule. */
export async function registerWatchedDevice(store: GatewayStore): Promise<void> {
  await registerSampleDevice(store, "gw-1", sampleOwnership());
  await createRule(store, sampleAlertRule("rule-1"));
}
