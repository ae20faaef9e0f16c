import type { SecurityEvent } from "../../audit/security-event.js";
import type { OtaState } from "../../contract/index.js";
import type { OtaSource } from "./ota-event.js";

/** Announced when a device's update to a release changed its state, or when another attempt began. */
export interface UpdateMoved {
  readonly kind: "update.moved";
  /** Epoch milliseconds of the core's clock. */
  readonly at: number;
  readonly deviceId: string;
  readonly releaseId: number;
  readonly version: string;
  /** The previous state. Null if the device had no update to this release. */
  readonly from: OtaState | null;
  readonly to: OtaState;
  readonly source: OtaSource;
  /** The result that the device reported, or the state. */
  readonly lastResult: string;
  readonly message: string | null;
}

/**
 * Returns the event of the event log that a store writes with the move.
 *
 * @example
 * if (step.moved !== null) await writeEvent(toMoveEvent(step.moved)); // a step of `advanceUpdate`
 */
export const toMoveEvent = ({ kind, at, deviceId, ...details }: UpdateMoved): SecurityEvent => ({
  kind,
  at,
  deviceId,
  actor: details.source === "server" ? "gateway" : "device",
  requestId: null,
  clientAddress: null,
  details,
});
