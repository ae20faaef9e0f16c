import type { JsonObject } from "../shared/json.js";

/** What the audit trail records. */
export type SecurityEventKind =
  | "device.registered"
  | "device.registered_again"
  | "device.secret_rotated"
  | "device.credential_promoted"
  | "device.claimed"
  | "device.released"
  | "device.renamed"
  | "device.configured"
  | "device.re_enrolment_opened"
  | "device.revoked"
  | "device.reinstated"
  | "device.erased"
  | "device.dropped"
  | "device.steered"
  | "device.update_requested"
  | "release.created"
  | "release.changed"
  | "release.activated"
  | "release.paused"
  | "release.withdrawn"
  | "release.halted"
  | "budget.spent";

/** One line of the audit trail, written with the transition that it tells of. */
export interface SecurityEvent {
  readonly kind: SecurityEventKind;
  /** Epoch milliseconds of the core's clock. */
  readonly at: number;
  /** Empty when it is about no device. */
  readonly deviceId: string;
  /** Who did it: `device`, or a name that the embedder gives. */
  readonly actor: string;
  readonly requestId: string | null;
  readonly clientAddress: string | null;
  /** Never holds a secret. */
  readonly details: JsonObject;
}
