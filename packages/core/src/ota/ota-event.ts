/** Where an update stands (contract §6). */
export type OtaState =
  | "offered"
  | "downloading"
  | "downloaded"
  | "verified"
  | "installing"
  | "rebooting"
  | "succeeded"
  | "failed"
  | "rejected"
  | "rolled_back"
  | "cancelled"
  | "timed_out";

/** One line of a device's OTA history. */
export interface OtaEvent {
  /** Epoch milliseconds of the core's clock. */
  readonly createdAt: number;
  readonly deviceId: string;
  /** How we know. */
  readonly source: "telemetry";
  readonly state: OtaState;
  readonly offeredVersion: string | null;
  /** What the device ran. */
  readonly fromVersion: string;
  /** The device's own word for it. */
  readonly lastResult: string;
  readonly lastCheckSucceeded: boolean | null;
  readonly updateAvailable: boolean | null;
  readonly updateApplied: boolean | null;
}
