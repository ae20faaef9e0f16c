import type { SecurityEvent } from "../audit/security-event.js";
import type { Device, PendingCredential } from "./device.js";
import type { DeviceProfile } from "./device-profile.js";

export type RegisterOutcome =
  | { readonly kind: "registered" }
  | { readonly kind: "exists" }
  /** The id was erased and blocked. */
  | { readonly kind: "blocked" };
export type RotateOutcome = { readonly kind: "rotated" } | { readonly kind: "conflict" };
export type RecordOutcome = { readonly kind: "recorded" } | { readonly kind: "unknown" };

/** A change by somebody who must own the device, or by an operator (`ownerId` null). */
export interface OwnedChange {
  readonly deviceId: string;
  readonly ownerId: string | null;
  readonly event: SecurityEvent;
}

/**
 * Registered devices. Every method resolves when what it wrote is durable, and writes its security
 * event together with its change or not at all. Each change raises `revision` (`recordProfile` and
 * `recordSeen` apart) and, `recordSeen` apart, is in the change feed.
 */
export interface DeviceStore {
  /** The device as it stands, or null. Reads what was written last, never a stale copy. */
  find(deviceId: string): Promise<Device | null>;
  /** Devices with an id above `after`, by id (UTF-8 bytes), at most `limit`; an owner's alone. */
  list(input: { ownerId: string | null; after: string; limit: number }): Promise<readonly Device[]>;
  /**
   * Inserts a device. Exactly one of any number of concurrent callers for one `deviceId` gets
   * `registered`; the others change nothing.
   */
  register(input: { device: Device; event: SecurityEvent }): Promise<RegisterOutcome>;
  /**
   * Gives the device a pending credential in place of an earlier one, with what else comes with
   * registering again or a login, and closes a re-enrolment window if so asked; all of it if the
   * revision still is `expectedRevision`, else `conflict` and nothing. Whether the earlier one may
   * be replaced is the caller's to decide, by its `isRotation`.
   */
  rotate(input: {
    deviceId: string;
    expectedRevision: number;
    pending: PendingCredential;
    profile: DeviceProfile;
    claimCodeHash: string | null;
    claimCodeSpent: boolean;
    closeReEnrolment: boolean;
    event: SecurityEvent;
  }): Promise<RotateOutcome>;
  /**
   * Records that the credential of `epoch` was used: the first use of any sets `firstUsedAt`; that of
   * the pending one makes it current, drops the former and writes the event. `unknown` when the
   * epoch is neither's, or the device is revoked.
   */
  recordUse(input: {
    deviceId: string;
    epoch: number;
    now: number;
    event: SecurityEvent;
  }): Promise<RecordOutcome>;
  /** Replaces what the device says of itself, in one statement. */
  recordProfile(input: {
    deviceId: string;
    profile: DeviceProfile;
    now: number;
  }): Promise<RecordOutcome>;
  /** Moves `lastSeenAt` on, never back. */
  recordSeen(input: { deviceId: string; now: number }): Promise<void>;
  /** Names the device. */
  rename(input: OwnedChange & { name: string }): Promise<RecordOutcome>;
  /** Opens a re-enrolment window, or moves its end. */
  openReEnrolment(input: OwnedChange & { until: number }): Promise<RecordOutcome>;
  /** Sets `revokedAt` if it is not set, and says since when; the event only if it was not. */
  revoke(input: {
    deviceId: string;
    now: number;
    event: SecurityEvent;
  }): Promise<
    { readonly kind: "revoked"; readonly revokedAt: number } | { readonly kind: "unknown" }
  >;
  /** Clears `revokedAt` and raises both epochs, as a release does; the event only if it was set. */
  reinstate(input: { deviceId: string; event: SecurityEvent }): Promise<RecordOutcome>;
  /**
   * Deletes the device, and blocks its id if so asked. All that it sent is out of reach by then, whoever
   * gets the id; what is much of it may be deleted after this resolves, by `TelemetryStore.prune` at
   * the latest. Audit events stay.
   */
  erase(input: { deviceId: string; block: boolean; event: SecurityEvent }): Promise<RecordOutcome>;
  /**
   * Deletes devices that were registered before a time and given no credential since, current or
   * pending, never used, and are neither owned nor revoked; one, or any, at most `limit`, the
   * first registered first. Each gets the event with its own `deviceId`. Says which they were.
   */
  dropUnused(input: {
    deviceId: string | null;
    registeredBefore: number;
    limit: number;
    event: Omit<SecurityEvent, "deviceId">;
  }): Promise<readonly string[]>;
}
