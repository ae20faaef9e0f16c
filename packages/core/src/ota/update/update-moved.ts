import type { OtaState } from "../../contract/index.js";
import type { OtaSource } from "./ota-event.js";

/** A device's update to a release came to another state, or began another attempt. */
export interface UpdateMoved {
  readonly kind: "update.moved";
  /** Epoch milliseconds of the core's clock. */
  readonly at: number;
  readonly deviceId: string;
  readonly releaseId: number;
  readonly version: string;
  /** Where it stood before; null: nothing of this release was known of the device. */
  readonly from: OtaState | null;
  readonly to: OtaState;
  readonly source: OtaSource;
  /** The device's own word for it; else the state. */
  readonly lastResult: string;
  readonly message: string | null;
}
