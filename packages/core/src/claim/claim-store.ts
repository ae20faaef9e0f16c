import type { SecurityEvent } from "../audit/security-event.js";

export type ClaimOutcome =
  | { readonly kind: "claimed" | "already_owned"; readonly claimedAt: number }
  /** Somebody else owns it. */
  | { readonly kind: "taken" }
  /**
   * There is no such device any more, it is revoked, or its claim code is another now. This comes
   * before the others: who has an old code learns nothing of owners.
   */
  | { readonly kind: "changed" };

export type ReleaseOutcome = { readonly kind: "released" } | { readonly kind: "not_owner" };

/** Who owns which device. */
export interface ClaimStore {
  /**
   * Gives a device to an owner and writes the event, together, if nobody owns it, it is not
   * revoked and `claimCodeHash` (null: a legacy device) still is its unspent hash. Exactly one of any
   * number of concurrent callers gets `claimed`; to its owner it says `already_owned`, and writes
   * nothing. A device that had an owner before is visible from `now` on, a new one from 0; a
   * re-enrolment window from before the claim is closed by it.
   */
  claim(input: {
    deviceId: string;
    ownerId: string;
    claimCodeHash: string | null;
    now: number;
    event: SecurityEvent;
  }): Promise<ClaimOutcome>;
  /**
   * Takes a device from its owner, in one transaction with the event: name and overrides are
   * cleared, a re-enrolment window is closed, both credentials' epochs are raised, current above
   * all that were given out, pending above current. With `spendCode`, the claim code is dead until
   * another is registered.
   */
  release(input: {
    deviceId: string;
    ownerId: string;
    spendCode: boolean;
    event: SecurityEvent;
  }): Promise<ReleaseOutcome>;
}
