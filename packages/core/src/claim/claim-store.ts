import type { SecurityEvent } from "../audit/security-event.js";

export type ClaimOutcome =
  | { readonly kind: "claimed" | "already_owned"; readonly claimedAt: number }
  /** Another customer owns the device. */
  | { readonly kind: "taken" }
  /**
   * The device no longer exists, is revoked, has another claim code now, or had an owner and has none now. The first
   * three take precedence over the other outcomes, so that an old code reveals nothing about owners.
   */
  | { readonly kind: "changed" };

export type AssignOutcome =
  | { readonly kind: "claimed" | "already_owned"; readonly claimedAt: number }
  /** `changed`: the device had an owner and has none now. */
  | { readonly kind: "taken" | "revoked" | "unknown" | "changed" };

export type ReleaseOutcome = { readonly kind: "released" } | { readonly kind: "not_owner" };

/** Stores who owns which device. */
export interface ClaimStore {
  /**
   * Makes the customer the owner of a device and writes the event, in one transaction. The device must have no
   * owner, must not be revoked, and `claimCodeHash` must still be its unspent hash (null for a legacy device).
   * Of concurrent callers, exactly one gets `claimed`. The owner of the device gets `already_owned`, and nothing
   * is written. `visibleFrom` becomes 0 if the device had no owner before, else `now`, or the
   * time of the latest release if that is later: the claim may have begun before it. The claim closes an open re-enrolment
   * window. With `hadOwner`, the device must still have an owner, else nothing is written: a caller that read a device
   * with an owner has not asked the embedder's hook.
   */
  claim(input: {
    deviceId: string;
    ownerId: string;
    claimCodeHash: string | null;
    /** Whether the device had an owner when the caller read it. Default: false. */
    hadOwner?: boolean;
    now: number;
    event: SecurityEvent;
  }): Promise<ClaimOutcome>;
  /**
   * Makes a customer the owner of a device without a code. Otherwise works like `claim`. The device must have no owner and
   * must not be revoked. Returns `revoked` for a revoked device, whoever owns it.
   */
  assign(input: {
    deviceId: string;
    ownerId: string;
    /** As in `claim`. */
    hadOwner?: boolean;
    now: number;
    event: SecurityEvent;
  }): Promise<AssignOutcome>;
  /**
   * Removes the owner of a device and writes the event, in one transaction. It clears the name and the overrides,
   * closes a re-enrolment window and raises the epochs of both credentials: the current one above all epochs
   * that were ever issued, the pending one above the current one. With `spendCode`, the claim code is invalid
   * until the device registers another one.
   */
  release(input: {
    deviceId: string;
    ownerId: string;
    spendCode: boolean;
    event: SecurityEvent;
  }): Promise<ReleaseOutcome>;
}
