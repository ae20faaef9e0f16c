import type { SecurityEvent } from "../../audit/security-event.js";
import type { OtaState } from "../../contract/index.js";
import type { DeviceUpdate } from "./device-update.js";
import type { UpdateReport } from "./move-update.js";
import type { UpdateMoved } from "./update-moved.js";
import type { UpdateRules } from "./update-rules.js";

export interface ReportInput {
  readonly report: UpdateReport;
  readonly rules: UpdateRules;
}

export interface ReportOutcome {
  /** The state of the update now. Null if the device has no update to the reported version. */
  readonly state: OtaState | null;
  /** The event of the move that `advanceUpdate` returned. Null if the update did not move. */
  readonly moved: UpdateMoved | null;
  /** The security event that was written, if the report made the gateway pause the release. */
  readonly halt: SecurityEvent | null;
}

/** An update that has started and has had no report for some time. */
export interface OverdueUpdate extends DeviceUpdate {
  readonly version: string;
  /** The version that the device reported. */
  readonly firmwareVersion: string;
}

/** Stores the updates of devices, and the settings that operators make for them. */
export interface UpdateStore {
  /**
   * Reads the device with its update to the reported version, applies `advanceUpdate` and writes its result in one
   * transaction, safe against any number of concurrent reports. It writes the update, the OTA event, the device's
   * standing, the tally, the counts by state and, if the update moved, the event of `toMoveEvent`. If the release is
   * halted, it also writes the pause (with `haltedAt`) and the security event. A store with `settle` halts releases in
   * `settle` instead. A changed device or release is in the change feed. If the device does not exist, it does nothing
   * and the state is null.
   */
  report(input: ReportInput): Promise<ReportOutcome>;
  /** Returns a device's updates, the last moved first. */
  list(deviceId: string): Promise<readonly DeviceUpdate[]>;
  /** Returns how many devices' updates to a release are in each state. States without any are absent. */
  counts(releaseId: number): Promise<Readonly<Partial<Record<OtaState, number>>>>;
  /**
   * Returns at most `limit` running updates that did not move since `before`, oldest first. Also includes those with
   * the whole image that did not move, and whose device was not seen, since `silentSince`. A store of several databases
   * returns those of the databases that answer, and rejects if none does.
   */
  overdue(input: {
    before: number;
    silentSince: number;
    limit: number;
  }): Promise<readonly OverdueUpdate[]>;
  /** Sets a device's channel, pinned version and bench mode, with the event. Missing fields stay unchanged. */
  setOtaTarget(input: {
    deviceId: string;
    channel?: string;
    pinnedVersion?: string | null;
    benchMode?: boolean;
    event: SecurityEvent;
  }): Promise<{ readonly kind: "recorded" | "unknown" }>;
  /** Removes a device's blocks, and its counts of failures and attempts, with the event. */
  clearBlocks(input: {
    deviceId: string;
    event: SecurityEvent;
  }): Promise<{ readonly kind: "recorded" | "unknown" }>;
  /** Deletes at most `limit` updates that ended, or never began, and did not move since a time. Returns how many. */
  prune(input: { movedBefore: number; limit: number }): Promise<number>;
}
