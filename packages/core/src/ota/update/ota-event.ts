import type { OtaState } from "../../contract/index.js";

/**
 * Source of an event: the OTA section of telemetry, an event that the device posted, its answer to an "update now"
 * request, or the server itself.
 */
export type OtaSource = "telemetry" | "device" | "command" | "server";

/** An event of a device's OTA history. */
export interface OtaEvent {
  /** Epoch milliseconds of the core's clock. */
  readonly createdAt: number;
  readonly deviceId: string;
  readonly source: OtaSource;
  readonly state: OtaState;
  readonly offeredVersion: string | null;
  /** The version that the device ran. */
  readonly fromVersion: string;
  /** The result that the device reported, or the state. */
  readonly lastResult: string;
  readonly lastCheckSucceeded: boolean | null;
  readonly updateAvailable: boolean | null;
  readonly updateApplied: boolean | null;
  /** Percent, 0 to 100. */
  readonly progress: number | null;
  readonly message: string | null;
}
