import type { JsonObject } from "../shared/json.js";

/** The kinds of the audit trail. Their events are never deleted. */
export const auditKinds = [
  "device.registered",
  "device.registered_again",
  "device.secret_rotated",
  "device.credential_promoted",
  "device.claimed",
  "device.assigned",
  "device.released",
  "device.renamed",
  "device.configured",
  "device.metadata_changed",
  "device.command_sent",
  "device.command_cancelled",
  "device.re_enrolment_opened",
  "device.revoked",
  "device.reinstated",
  "device.erased",
  "device.dropped",
  "device.steered",
  "device.update_blocks_cleared",
  "device.update_requested",
  "metrics.described",
  "release.created",
  "release.changed",
  "release.activated",
  "release.paused",
  "release.withdrawn",
  "release.halted",
  "budget.spent",
  "alert_rule.created",
  "alert_rule.changed",
  "alert_rule.removed",
  "webhook.created",
  "webhook.changed",
  "webhook.removed",
  "webhook.disabled",
  "webhook.dead_lettered",
] as const;

/** Kinds of the event log beyond the audit trail. Maintenance deletes their events after `eventRetentionDays`. */
export const activityKinds = [
  "update.moved",
  "alert.firing",
  "alert.cleared",
  "device.online",
  "device.offline",
] as const;

export type ActivityKind = (typeof activityKinds)[number];

/** The kinds of events in the event log. */
export type SecurityEventKind = (typeof auditKinds)[number] | ActivityKind;

/** All kinds of events. Stores read pages kind by kind, so that frequent kinds do not delay the others. */
export const eventKinds: readonly SecurityEventKind[] = [...auditKinds, ...activityKinds];

/**
 * The kinds of events that an owner's webhook can get. The others are about operators' work, or end the ownership. Of
 * alerts, an owner gets those of their own rules.
 */
export const ownerEventKinds: readonly SecurityEventKind[] = [
  "device.claimed",
  "device.assigned",
  "device.registered_again",
  "device.renamed",
  "device.configured",
  "device.command_sent",
  "device.command_cancelled",
  "device.re_enrolment_opened",
  "device.revoked",
  "device.reinstated",
  "device.update_requested",
  ...activityKinds,
];

/** One event of the event log. It is written in the transaction of the change that it describes. */
export interface SecurityEvent {
  readonly kind: SecurityEventKind;
  /** Epoch milliseconds, from the gateway's clock. */
  readonly at: number;
  /** Empty if the event is not about a device. */
  readonly deviceId: string;
  /** The cause of the event: `device`, `gateway`, a user's id, or a name that the embedder chooses. */
  readonly actor: string;
  readonly requestId: string | null;
  readonly clientAddress: string | null;
  /** Never contains a secret. */
  readonly details: JsonObject;
}
