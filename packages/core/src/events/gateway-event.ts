import type { SecurityEvent, SecurityEventKind } from "../audit/security-event.js";
import type { CommandAnswered } from "../commands/command-answered.js";
import type { UpdateMoved } from "../ota/update/update-moved.js";
import type { JsonObject } from "../shared/json.js";
import type { Observation } from "./observation.js";

/** The kinds of security events that listeners receive. */
export type AnnouncedKind = Extract<
  SecurityEventKind,
  | "device.registered"
  | "device.registered_again"
  | "device.claimed"
  | "device.assigned"
  | "device.released"
  | "device.renamed"
  | "device.configured"
  | "device.metadata_changed"
  | "device.command_sent"
  | "device.command_cancelled"
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

/** A security event of one kind. */
export type AnnouncedEvent<Kind extends AnnouncedKind = AnnouncedKind> = SecurityEvent & {
  readonly kind: Kind;
};

/** New records of a device were stored. Duplicates and rejected records are not included. */
export interface TelemetryReceived {
  readonly kind: "telemetry.received";
  /** Time of receipt, in epoch milliseconds. */
  readonly at: number;
  readonly deviceId: string;
  readonly records: readonly {
    /** Time of measurement, in epoch milliseconds. */
    readonly at: number;
    /** The record as the device sent it. */
    readonly body: JsonObject;
  }[];
}

/** The event of each kind. */
export type GatewayEvents = { readonly [Kind in AnnouncedKind]: AnnouncedEvent<Kind> } & {
  readonly "telemetry.received": TelemetryReceived;
  readonly "update.moved": UpdateMoved;
  readonly "command.answered": CommandAnswered;
} & { readonly [Kind in Observation["kind"]]: Extract<Observation, { readonly kind: Kind }> };

/** What use cases pass to the announcer. Security events outside `AnnouncedKind` never have listeners. */
export type CommittedEvent = SecurityEvent | TelemetryReceived | UpdateMoved | CommandAnswered;

export type GatewayEventKind = keyof GatewayEvents;
export type GatewayEventListener<Kind extends GatewayEventKind> = (
  event: GatewayEvents[Kind],
) => void | Promise<void>;
