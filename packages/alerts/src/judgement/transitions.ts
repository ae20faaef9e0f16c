import type {
  Alert,
  AlertNotification,
  AlertNotificationKind,
  AlertRule,
  AlertTransition,
  JsonObject,
  SecurityEvent,
} from "@device-gateway/core/store";

/**
 * Transitions that are enough for one judgement. What would cause more waits for the next judgement, so that the store
 * writes each before its deadline. One event or record causes at most 100: one for each rule of the owner and of the
 * operators.
 */
export const enoughTransitions = 50;

/** What an alert is about. */
export interface Subject {
  readonly subject: string;
  readonly deviceId: string;
}

/** Creates the changes of alerts, with their events and notifications. */
export interface Transitions {
  fire(rule: AlertRule, about: Subject, measured: JsonObject): AlertTransition & { kind: "firing" };
  clear(rule: AlertRule | null, alert: Alert, measured: JsonObject): AlertTransition;
  remind(rule: AlertRule, alert: Alert): AlertTransition & { kind: "reminded" };
}

const isMuted = (rule: AlertRule | null, alert: Alert | null, now: number): boolean =>
  Math.max(rule?.mutedUntil ?? 0, alert?.mutedUntil ?? 0) > now;

/** Describes a rule's condition, as notifications and events show it. */
const describeRule = ({ name, condition }: AlertRule): JsonObject =>
  condition.kind === "above" || condition.kind === "below"
    ? {
        ...{ name, condition: condition.kind, metric: condition.metric },
        threshold: condition.threshold,
      }
    : { name, condition: condition.kind };

/** Ids of notifications are derived from the alert's, so that they stay the same when a delivery is repeated. */
export function createTransitions(now: number, newId: () => string): Transitions {
  const toEvent = (kind: "alert.firing" | "alert.cleared", alert: Alert, details: JsonObject) =>
    ({
      ...{ kind, at: now, deviceId: alert.deviceId, actor: "gateway" },
      ...{ requestId: null, clientAddress: null },
      details: { ...details, alertId: alert.id, ruleId: alert.ruleId, ownerId: alert.ownerId },
    }) satisfies SecurityEvent;
  const toNotification = (
    alert: Alert,
    kind: AlertNotificationKind,
    details: JsonObject,
    suffix: string = kind,
  ): AlertNotification => ({
    ...{ id: `${alert.id}-${suffix}`, alertId: alert.id, ruleId: alert.ruleId },
    ...{ ownerId: alert.ownerId, deviceId: alert.deviceId, kind, at: now, dueAt: now },
    ...{ attempts: 0, delivered: [], details },
  });
  return {
    fire(rule, { subject, deviceId }, measured) {
      const details = { ...describeRule(rule), ...measured };
      const alert: Alert = {
        ...{ id: newId(), ruleId: rule.id, ownerId: rule.ownerId, subject, deviceId },
        ...{ firedAt: now, clearedAt: null, acknowledgedAt: null, acknowledgedBy: null },
        ...{ mutedUntil: null, remindedAt: null, details },
      };
      const notification = isMuted(rule, null, now)
        ? null
        : toNotification(alert, "firing", details);
      const event = toEvent("alert.firing", alert, details);
      return { kind: "firing", alert, event, notification };
    },
    clear(rule, alert, measured) {
      const details = { ...alert.details, ...measured };
      const notification = isMuted(rule, alert, now)
        ? null
        : toNotification(alert, "cleared", details);
      const event = toEvent("alert.cleared", alert, details);
      return { kind: "cleared", alertId: alert.id, at: now, event, notification };
    },
    remind: (_, alert) => ({
      ...{ kind: "reminded", alertId: alert.id, at: now },
      notification: toNotification(alert, "reminder", alert.details, `reminder-${now}`),
    }),
  };
}

/** Returns when an alert's next reminder is due, or null if there will be none. */
export function reminderAt(rule: AlertRule, alert: Alert): number | null {
  if (rule.reminderSeconds === null || alert.acknowledgedAt !== null) return null;
  const next = (alert.remindedAt ?? alert.firedAt) + rule.reminderSeconds * 1_000;
  return Math.max(next, alert.mutedUntil ?? 0, rule.mutedUntil ?? 0);
}
