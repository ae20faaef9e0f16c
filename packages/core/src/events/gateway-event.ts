import type { SecurityEvent, SecurityEventKind } from "../audit/security-event.js";
import type { UpdateMoved } from "../ota/update/update-moved.js";
import type { JsonObject } from "../shared/json.js";
import type { Observation } from "./observation.js";

/** What listeners are told of among what the audit trail records. */
export type AnnouncedKind = Extract<
  SecurityEventKind,
  | "device.registered"
  | "device.registered_again"
  | "device.claimed"
  | "device.released"
  | "device.renamed"
  | "device.configured"
  | "device.revoked"
  | "device.reinstated"
  | "device.erased"
  | "release.created"
  | "release.changed"
  | "release.activated"
  | "release.paused"
  | "release.withdrawn"
  | "release.halted"
>;

/** A line of the audit trail of one kind. */
export type AnnouncedEvent<Kind extends AnnouncedKind = AnnouncedKind> = SecurityEvent & {
  readonly kind: Kind;
};

/** Records of a device that were stored just now; duplicates and rejected ones are not among them. */
export interface TelemetryReceived {
  readonly kind: "telemetry.received";
  /** When they were received, in epoch milliseconds. */
  readonly at: number;
  readonly deviceId: string;
  readonly records: readonly {
    /** When it was measured, in epoch milliseconds. */
    readonly at: number;
    /** As it was sent. */
    readonly body: JsonObject;
  }[];
}

/** What each kind of event carries. */
export type GatewayEvents = { readonly [Kind in AnnouncedKind]: AnnouncedEvent<Kind> } & {
  readonly "telemetry.received": TelemetryReceived;
  readonly "update.moved": UpdateMoved;
} & { readonly [Kind in Observation["kind"]]: Extract<Observation, { readonly kind: Kind }> };

/** What is handed to the announcer; of the audit trail, kinds that are not told have no listeners. */
export type CommittedEvent = SecurityEvent | TelemetryReceived | UpdateMoved;

export type GatewayEventKind = keyof GatewayEvents;
export type GatewayEventListener<Kind extends GatewayEventKind> = (
  event: GatewayEvents[Kind],
) => void | Promise<void>;
