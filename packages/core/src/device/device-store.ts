import type { SecurityEvent } from "../audit/security-event.js";
import type { Device, PendingCredential } from "./device.js";
import type { DeviceProfile } from "./device-profile.js";

export type RegisterOutcome =
  | { readonly kind: "registered" }
  | { readonly kind: "exists" }
  /** The device with this id was erased and the id is blocked. */
  | { readonly kind: "blocked" };
export type RotateOutcome = { readonly kind: "rotated" } | { readonly kind: "conflict" };
export type RecordOutcome = { readonly kind: "recorded" } | { readonly kind: "unknown" };

/** The texts of a device by which operators search. */
export type SearchKey = "name" | "ownerId" | "targetHardware" | "firmwareVersion";

/** A place in the results of a search. */
export interface SearchPlace {
  readonly value: string;
  readonly deviceId: string;
}

/** A change by a user who must own the device, or by an operator if `ownerId` is null. */
export interface OwnedChange {
  readonly deviceId: string;
  readonly ownerId: string | null;
  readonly event: SecurityEvent;
}

/**
 * Stores registered devices. A method resolves when its change is durable, and writes its security event in the
 * same transaction. Every change raises `revision`, except `recordProfile` and `recordSeen`. Every change appears
 * in the change feed, except `recordSeen`.
 */
export interface DeviceStore {
  /** Returns the device, or null if it does not exist. Reads the latest committed state. */
  find(deviceId: string): Promise<Device | null>;
  /**
   * Returns at most `limit` devices with an id above `after`, ordered by the UTF-8 bytes of the id. With an
   * `ownerId`, only that owner's devices.
   */
  list(input: { ownerId: string | null; after: string; limit: number }): Promise<readonly Device[]>;
  /**
   * Returns at most `limit` devices whose text is between `from` and `to`, both inclusive, and that come after a place. All
   * texts are compared by their UTF-8 bytes, and the result is ordered by text, then by id. A device without the text is
   * not found. The duration does not depend on the size of the fleet.
   */
  search(input: {
    by: SearchKey;
    from: string;
    to: string;
    after: SearchPlace | null;
    limit: number;
  }): Promise<readonly Device[]>;
  /**
   * Returns at most `limit` devices that are revoked, or that nobody owns, with an id above `after`, ordered by the UTF-8
   * bytes of the id. The duration does not depend on the size of the fleet.
   */
  listMarked(input: {
    mark: "revoked" | "unclaimed";
    after: string;
    limit: number;
  }): Promise<readonly Device[]>;
  /**
   * Inserts a device. Of concurrent callers for one `deviceId`, exactly one gets `registered`. The others change
   * nothing.
   */
  register(input: { device: Device; event: SecurityEvent }): Promise<RegisterOutcome>;
  /**
   * Sets the pending credential, profile and claim code of a device, and closes its re-enrolment window if asked.
   * It does all of it if the revision is still `expectedRevision`, else nothing and returns `conflict`. It replaces
   * an earlier pending credential: the caller decides by `isRotation` whether that is allowed.
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
   * Records that the device used the credential of `epoch`. The first use of any credential sets `firstUsedAt`.
   * The use of the pending credential makes it current, removes the former one and writes the event. Returns
   * `unknown` if no credential has this epoch, or the device is revoked.
   */
  recordUse(input: {
    deviceId: string;
    epoch: number;
    now: number;
    event: SecurityEvent;
  }): Promise<RecordOutcome>;
  /** Replaces the device's profile in one statement. */
  recordProfile(input: {
    deviceId: string;
    profile: DeviceProfile;
    now: number;
  }): Promise<RecordOutcome>;
  /** Sets `lastSeenAt`, unless it is later already. */
  recordSeen(input: { deviceId: string; now: number }): Promise<void>;
  /** Sets the device's name. */
  rename(input: OwnedChange & { name: string }): Promise<RecordOutcome>;
  /** Opens a re-enrolment window, or changes the end of an open one. */
  openReEnrolment(input: OwnedChange & { until: number }): Promise<RecordOutcome>;
  /** Sets `revokedAt` and writes the event, unless the device is revoked already. Returns `revokedAt`. */
  revoke(input: {
    deviceId: string;
    now: number;
    event: SecurityEvent;
  }): Promise<
    { readonly kind: "revoked"; readonly revokedAt: number } | { readonly kind: "unknown" }
  >;
  /**
   * Clears `revokedAt`, raises both epochs as `ClaimStore.release` does, and writes the event, if the device is
   * revoked.
   */
  reinstate(input: { deviceId: string; event: SecurityEvent }): Promise<RecordOutcome>;
  /**
   * Deletes the device, and blocks its id if asked. When this resolves, none of its data can be read, even if the
   * id is registered again. Large data may be deleted later, by `TelemetryStore.prune` at the latest. Audit events
   * stay.
   */
  erase(input: { deviceId: string; block: boolean; event: SecurityEvent }): Promise<RecordOutcome>;
  /**
   * Deletes at most `limit` devices that were never used, have no owner and are not revoked. Their registration and
   * their credentials, current and pending, must be older than `registeredBefore`. With a `deviceId`, only that
   * device. Those whose last registration is earliest come first. Writes the event for each with its own `deviceId`. Returns the ids.
   */
  dropUnused(input: {
    deviceId: string | null;
    registeredBefore: number;
    limit: number;
    event: Omit<SecurityEvent, "deviceId">;
  }): Promise<readonly string[]>;
}
