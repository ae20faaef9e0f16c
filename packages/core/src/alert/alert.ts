import type { JsonObject } from "../shared/json.js";

/** One firing of a rule, for one device or release. Times are epoch milliseconds. */
export interface Alert {
  readonly id: string;
  readonly ruleId: string;
  /** The rule's owner. Null: the operators. */
  readonly ownerId: string | null;
  /** A deviceId, or `release/` with an id, or `fleet/silence`. A rule has at most one firing alert of each subject. */
  readonly subject: string;
  /** Empty if the alert is not about a device. */
  readonly deviceId: string;
  readonly firedAt: number;
  /** Null: the alert is firing. */
  readonly clearedAt: number | null;
  readonly acknowledgedAt: number | null;
  readonly acknowledgedBy: string | null;
  readonly mutedUntil: number | null;
  /** When the latest reminder was queued. */
  readonly remindedAt: number | null;
  /** The rule's name and condition when it fired, and what was measured. */
  readonly details: JsonObject;
}

/** The rule of the alert that replaces all alerts about silence if much of the fleet falls silent together. */
export const fleetSilenceRule = "fleet-silence";
export const fleetSilenceSubject = "fleet/silence";

export type AlertNotificationKind = "firing" | "cleared" | "reminder";

/** A message about an alert that waits for its delivery. Times are epoch milliseconds. */
export interface AlertNotification {
  /** Stays the same when the delivery is repeated. */
  readonly id: string;
  readonly alertId: string;
  readonly ruleId: string;
  /** The recipient. Null: the operators. */
  readonly ownerId: string | null;
  /** Empty if it is not about a device. */
  readonly deviceId: string;
  readonly kind: AlertNotificationKind;
  readonly at: number;
  /** When to deliver it, or to try again. */
  readonly dueAt: number;
  /** How often it was taken for delivery. */
  readonly attempts: number;
  /** The channels that delivered it. */
  readonly delivered: readonly string[];
  readonly details: JsonObject;
}
