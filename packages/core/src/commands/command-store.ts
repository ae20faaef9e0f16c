import type { SecurityEvent } from "../audit/security-event.js";
import type { OtaEvent } from "../ota/update/ota-event.js";
import type { Command, CommandAnswer } from "./command.js";

export type SendCommandOutcome =
  | { readonly kind: "sent" }
  /** The sender sent this command with the same key before. */
  | { readonly kind: "repeated"; readonly command: Command }
  /** The sender sent another command with the same key. */
  | { readonly kind: "key_reused" }
  /** The device has `maxOpen` open commands. */
  | { readonly kind: "full" }
  | { readonly kind: "revoked" }
  /** The device does not exist, or `ownerId` is not its owner. */
  | { readonly kind: "unknown" };

export type CancelCommandOutcome =
  | { readonly kind: "cancelled"; readonly command: Command }
  /** The device may have the command, or the command ended otherwise. */
  | { readonly kind: "not_pending" }
  | { readonly kind: "unknown" };

export interface CommandKey {
  readonly deviceId: string;
  readonly commandId: string;
}

/** A device's answer to an "update now" request in its own words (§6). */
export interface UpdateAnswer {
  readonly status: string;
  readonly message: string | null;
  /** For the OTA history. */
  readonly event: OtaEvent;
}

/**
 * Stores commands to devices. A device's commands are in the order in which they were sent. Each transition first ends
 * those of the device's commands that are due: a pending one is `expired`, a delivered one `unknown`. It also sets the
 * device's `commandsWaiting`: whether an open command that has not expired is left. If it changes, the device is in the
 * change feed. The device's revision stays.
 *
 * Other transitions end open commands too, in the same transaction: pending ones are `cancelled` and delivered ones
 * `unknown`. `ClaimStore.claim`, `assign` and `release` and `DeviceStore.revoke` do so with all open commands, if they
 * change the device. `DeviceStore.rotate` ends the delivered ones, unless `pending.isRotation`: a device that registers again may have lost its memory of them. The
 * erasure of a device deletes its commands.
 *
 * A command with the name `updateNow` is an "update now" request. At most one is open. The last one is `DeviceOta.command`, which
 * a release removes. Whatever changes `commandsWaiting` also sets `DeviceOta.isCommandOpen`: whether such a command is open.
 */
export interface CommandStore {
  /**
   * Stores a pending command with its event, and deletes the device's oldest ended commands beyond the newest
   * `keepEnded`. The device is in the change feed. A key that the same user used for a stored command of the device
   * returns `repeated` if name and payload are equal, else `key_reused`. An `ownerId` of null stands for an operator. An
   * "update now" request is `repeated` while one waits (`waitingRequest`). Otherwise it ends an open one, as the
   * transitions above do. It is never `full` or `revoked`, and does not count for `maxOpen`.
   */
  send(input: {
    command: Command;
    ownerId: string | null;
    maxOpen: number;
    keepEnded: number;
    event: SecurityEvent;
  }): Promise<SendCommandOutcome>;
  /**
   * Returns the oldest open commands of a device that expire after `now`, at most `limit`, and only those after the
   * command `after`. Marks the pending ones of them as delivered. If `after` is null or unknown, it returns the first
   * ones, so a device that did not receive them gets them again.
   */
  take(input: {
    deviceId: string;
    after: string | null;
    limit: number;
    now: number;
  }): Promise<readonly Command[]>;
  /**
   * Records a device's answer. A delivered command gets the answer's status as its state; an `unknown` one keeps its
   * state. A second answer changes nothing. Returns `unknown` if the device has no such command, or it was never
   * delivered.
   *
   * `update` is null for all commands but "update now" requests, which are `unknown` without it. It marks a pending one
   * as delivered, and `answer` is null while the update goes on. If `DeviceOta.command` is this request and has another
   * answer, `update` replaces that answer and its event is written, even if the command has ended or was deleted.
   */
  answer(
    input: CommandKey & {
      answer: CommandAnswer | null;
      update: UpdateAnswer | null;
      now: number;
    },
  ): Promise<
    | { readonly kind: "answered"; readonly command: Command }
    | { readonly kind: "repeated" | "unknown" }
  >;
  /** Cancels a pending command, with its event. An `ownerId` of null stands for an operator. */
  cancel(
    input: CommandKey & { ownerId: string | null; now: number; event: SecurityEvent },
  ): Promise<CancelCommandOutcome>;
  /** Returns a command, or null. */
  find(input: CommandKey): Promise<Command | null>;
  /**
   * Returns at most `limit` commands of a device that were sent at `from` or later, the last sent first. `before`:
   * only commands that were sent before that one, none if it is unknown.
   */
  list(input: {
    deviceId: string;
    from: number;
    before: string | null;
    limit: number;
  }): Promise<readonly Command[]>;
  /** Ends the due commands of at most `limit` devices, at their due times. Returns the number of devices. */
  endDue(input: { now: number; limit: number }): Promise<number>;
  /** Deletes at most `limit` commands that ended before a time, oldest first. Returns how many. */
  prune(input: { endedBefore: number; limit: number }): Promise<number>;
}
