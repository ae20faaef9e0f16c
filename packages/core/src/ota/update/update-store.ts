import type { SecurityEvent } from "../../audit/security-event.js";
import type { OtaState } from "../../contract/index.js";
import type { UpdateCommand } from "../offer/device-ota.js";
import type { DeviceUpdate } from "./device-update.js";
import type { UpdateReport } from "./move-update.js";
import type { OtaEvent } from "./ota-event.js";
import type { UpdateMoved } from "./update-moved.js";
import type { UpdateRules } from "./update-rules.js";

export interface ReportInput {
  readonly report: UpdateReport;
  readonly rules: UpdateRules;
}

export interface ReportOutcome {
  /** Where the update stands now; null: the device has none to the reported version. */
  readonly state: OtaState | null;
  /** What the step of `advanceUpdate` says of a move; null: it did not move. */
  readonly moved: UpdateMoved | null;
  /** The report made the guard pause the release: the event that was written. */
  readonly halt: SecurityEvent | null;
}

/** An update that is under way, and had no news for some time. */
export interface OverdueUpdate extends DeviceUpdate {
  readonly version: string;
  /** What the device runs, by its own word. */
  readonly firmwareVersion: string;
}

export type CommandOutcome =
  | { readonly kind: "waiting"; readonly command: UpdateCommand }
  | { readonly kind: "unknown" };

/** The devices' updates, and what their owners and operators ask of them. */
export interface UpdateStore {
  /**
   * Reads the device with its update to the reported version, applies `advanceUpdate` and writes what
   * it says, all in one transaction, safe against any number of reports at once: the update, the
   * OTA event, what stands with the device, the tally and the counts by state, and, when the
   * release is halted, its pause (with `haltedAt`) and the security event. A changed device or release is in
   * the change feed. Without such a device it does nothing, and the state is null.
   */
  report(input: ReportInput): Promise<ReportOutcome>;
  /** A device's updates, the one that moved last first. */
  list(deviceId: string): Promise<readonly DeviceUpdate[]>;
  /** How many devices' updates to a release are in each state; states without any are absent. */
  counts(releaseId: number): Promise<Readonly<Partial<Record<OtaState, number>>>>;
  /**
   * Updates under way that did not move since before a time, the oldest first, at most `limit`; those
   * with the whole image also where neither moved nor was its device seen since `silentSince`.
   */
  overdue(input: {
    before: number;
    silentSince: number;
    limit: number;
  }): Promise<readonly OverdueUpdate[]>;
  /** Sets a device's channel and pin, with the event; a missing field stays. */
  steer(input: {
    deviceId: string;
    channel?: string;
    pinnedVersion?: string | null;
    event: SecurityEvent;
  }): Promise<{ readonly kind: "recorded" | "unknown" }>;
  /**
   * Lets an "update now" wait for a device, with the event, if none waits yet: of any number of
   * callers all get the same one. `unknown` when `ownerId` is not its owner.
   */
  command(input: {
    deviceId: string;
    ownerId: string;
    command: UpdateCommand;
    event: SecurityEvent;
  }): Promise<CommandOutcome>;
  /**
   * Records what a device says to the command of that id, and the OTA event with it, if that differs from
   * what it said before; to any other id it does nothing.
   */
  answerCommand(input: {
    deviceId: string;
    requestId: string;
    status: string;
    message: string | null;
    event: OtaEvent;
  }): Promise<void>;
  /** Forgets updates that ended, or never began, and did not move since before a time. At most `limit`; says how many. */
  prune(input: { movedBefore: number; limit: number }): Promise<number>;
}
