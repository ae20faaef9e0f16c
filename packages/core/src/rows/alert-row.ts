import type { Alert, AlertNotification, AlertNotificationKind } from "../alert/alert.js";
import type { AlertRule } from "../alert/alert-rule.js";
import type { AlertStore, AlertWatch } from "../alert/alert-store.js";
import type { JsonObject } from "../shared/json.js";

/** The rows of the alert tables in SQL stores. JSON is kept as text. */
export interface AlertRuleRow {
  readonly id: string;
  readonly owner_id: string | null;
  readonly device_id: string | null;
  readonly revision: number;
  readonly content: string;
}

export interface AlertRow {
  readonly id: string;
  readonly rule_id: string;
  readonly owner_id: string | null;
  readonly subject: string;
  readonly device_id: string;
  readonly fired_at: number;
  readonly cleared_at: number | null;
  readonly acknowledged_at: number | null;
  readonly acknowledged_by: string | null;
  readonly muted_until: number | null;
  readonly reminded_at: number | null;
  readonly details: string;
}

export interface AlertWatchRow {
  readonly device_id: string;
  readonly revision: number;
  readonly content: string;
  readonly received_at: number;
  readonly due_at: number;
  readonly silent_at: number | null;
}

export interface AlertNotificationRow {
  readonly id: string;
  readonly alert_id: string;
  readonly rule_id: string;
  readonly owner_id: string | null;
  readonly device_id: string;
  readonly kind: AlertNotificationKind;
  readonly at: number;
  readonly due_at: number;
  readonly attempts: number;
  readonly delivered: string;
  readonly details: string;
}

/** The parameters of a statement that lists alerts. It selects what is less than `(firedAt, id)`, the newest first. */
export interface AlertPage {
  readonly ownerId: string | null;
  readonly deviceId: string | null;
  readonly firedAt: number;
  readonly id: string;
  readonly limit: number;
}

export const alertColumns = [
  "id",
  "rule_id",
  "owner_id",
  "subject",
  "device_id",
  "fired_at",
  "cleared_at",
  "acknowledged_at",
  "acknowledged_by",
  "muted_until",
  "reminded_at",
  "details",
] as const satisfies readonly (keyof AlertRow)[];

export const watchColumns = [
  "device_id",
  "revision",
  "content",
  "received_at",
  "due_at",
  "silent_at",
] as const satisfies readonly (keyof AlertWatchRow)[];

export const notificationColumns = [
  "id",
  "alert_id",
  "rule_id",
  "owner_id",
  "device_id",
  "kind",
  "at",
  "due_at",
  "attempts",
  "delivered",
  "details",
] as const satisfies readonly (keyof AlertNotificationRow)[];

/**
 * Returns the row of an alert rule.
 *
 * @example
 * insertRule.run(toAlertRuleRow(rule));
 */
export const toAlertRuleRow = (rule: AlertRule): AlertRuleRow => ({
  id: rule.id,
  owner_id: rule.ownerId,
  device_id: rule.deviceId,
  revision: rule.revision,
  content: JSON.stringify(rule),
});

/**
 * Returns the alert rule of a row.
 *
 * @example
 * const rules = listRules.all(ownerId).map(toAlertRule);
 */
export const toAlertRule = ({ content }: Pick<AlertRuleRow, "content">): AlertRule =>
  JSON.parse(content) as AlertRule;

/**
 * Returns the row of an alert.
 *
 * @example
 * insertAlert.run(toAlertRow(alert));
 */
export const toAlertRow = (alert: Alert): AlertRow => ({
  id: alert.id,
  rule_id: alert.ruleId,
  owner_id: alert.ownerId,
  subject: alert.subject,
  device_id: alert.deviceId,
  fired_at: alert.firedAt,
  cleared_at: alert.clearedAt,
  acknowledged_at: alert.acknowledgedAt,
  acknowledged_by: alert.acknowledgedBy,
  muted_until: alert.mutedUntil,
  reminded_at: alert.remindedAt,
  details: JSON.stringify(alert.details),
});

/**
 * Returns the alert of a row.
 *
 * @example
 * const row = findAlert.get(id);
 * return row === undefined ? null : toAlert(row);
 */
export const toAlert = (row: AlertRow): Alert => ({
  id: row.id,
  ruleId: row.rule_id,
  ownerId: row.owner_id,
  subject: row.subject,
  deviceId: row.device_id,
  firedAt: row.fired_at,
  clearedAt: row.cleared_at,
  acknowledgedAt: row.acknowledged_at,
  acknowledgedBy: row.acknowledged_by,
  mutedUntil: row.muted_until,
  remindedAt: row.reminded_at,
  details: JSON.parse(row.details) as JsonObject,
});

/** Above every time and id. */
const beforeFirst = { firedAt: Number.MAX_SAFE_INTEGER, id: "\u{10ffff}" };

/**
 * Returns the parameters of the statement that lists the alerts of a query. Without `before`, it lists the newest ones.
 *
 * @example
 * const alerts = listAlerts.all(toAlertPage(query)).map(toAlert); // a query of `AlertStore.list`
 */
export const toAlertPage = ({
  ownerId,
  deviceId,
  before,
  limit,
}: Parameters<AlertStore["list"]>[0]): AlertPage => ({
  ...{ ownerId, deviceId, limit },
  ...(before ?? beforeFirst),
});

/**
 * Returns the row of a watch.
 *
 * @example
 * writeWatch.run(toWatchRow(watch));
 */
export const toWatchRow = (watch: AlertWatch): AlertWatchRow => ({
  device_id: watch.deviceId,
  revision: watch.revision,
  content: JSON.stringify(watch.content),
  received_at: watch.receivedAt,
  due_at: watch.dueAt,
  silent_at: watch.silentAt,
});

/**
 * Returns the watch of a row.
 *
 * @example
 * const row = findWatch.get(deviceId);
 * return row === undefined ? null : toWatch(row);
 */
export const toWatch = (row: AlertWatchRow): AlertWatch => ({
  deviceId: row.device_id,
  revision: row.revision,
  content: JSON.parse(row.content) as JsonObject,
  receivedAt: row.received_at,
  dueAt: row.due_at,
  silentAt: row.silent_at,
});

/**
 * Returns the row of a notification.
 *
 * @example
 * insertNotification.run(toNotificationRow(notification));
 */
export const toNotificationRow = (one: AlertNotification): AlertNotificationRow => ({
  id: one.id,
  alert_id: one.alertId,
  rule_id: one.ruleId,
  owner_id: one.ownerId,
  device_id: one.deviceId,
  kind: one.kind,
  at: one.at,
  due_at: one.dueAt,
  attempts: one.attempts,
  delivered: JSON.stringify(one.delivered),
  details: JSON.stringify(one.details),
});

const toNotification = (row: AlertNotificationRow): AlertNotification => ({
  id: row.id,
  alertId: row.alert_id,
  ruleId: row.rule_id,
  ownerId: row.owner_id,
  deviceId: row.device_id,
  kind: row.kind,
  at: row.at,
  dueAt: row.due_at,
  attempts: row.attempts,
  delivered: JSON.parse(row.delivered) as string[],
  details: JSON.parse(row.details) as JsonObject,
});

/**
 * Returns the notifications of rows in the order in which they are delivered.
 *
 * @example
 * const notifications = toNotifications(takeDue.all({ now, until, limit }));
 */
export const toNotifications = (rows: readonly AlertNotificationRow[]): AlertNotification[] =>
  rows.map(toNotification).sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
