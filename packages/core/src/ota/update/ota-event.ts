import type { OtaState } from "../../contract/index.js";

/**
 * How we know: the OTA section of telemetry, an event that the device posted, its answer to an "update
 * now", or what the server itself did or saw.
 */
export type OtaSource = "telemetry" | "device" | "command" | "server";

/** One line of a device's OTA history. */
export interface OtaEvent {
  /** Epoch milliseconds of the core's clock. */
  readonly createdAt: number;
  readonly deviceId: string;
  readonly source: OtaSource;
  readonly state: OtaState;
  readonly offeredVersion: string | null;
  /** What the device ran. */
  readonly fromVersion: string;
  /** The device's own word for it; else the state. */
  readonly lastResult: string;
  readonly lastCheckSucceeded: boolean | null;
  readonly updateAvailable: boolean | null;
  readonly updateApplied: boolean | null;
  /** Percent, 0 to 100. */
  readonly progress: number | null;
  readonly message: string | null;
}
