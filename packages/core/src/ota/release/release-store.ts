import type { SecurityEvent } from "../../audit/security-event.js";
import type { ReleaseStatus } from "../../contract/index.js";
import type { Release } from "./release.js";

/** A release that no store has numbered yet. */
export type NewRelease = Omit<Release, "id" | "revision">;

/** What may change of a release. The rest is as it was signed and created. */
export type ReleaseChanges = Partial<
  Pick<
    Release,
    "status" | "rolloutPercent" | "rolloutChannel" | "hasImage" | "haltedAt" | "activatedAt"
  >
>;

export type CreateReleaseOutcome =
  | { readonly kind: "created"; readonly release: Release }
  /** Another one has this version for this target hardware. */
  | { readonly kind: "exists"; readonly release: Release };

export type ChangeReleaseOutcome =
  | { readonly kind: "changed"; readonly release: Release }
  | { readonly kind: "conflict" }
  | { readonly kind: "unknown" };

/**
 * Firmware releases. Each change writes its security event in the same transaction, with the
 * release's `releaseId` added to its details, and is in the change feed.
 */
export interface ReleaseStore {
  /**
   * Inserts a release of revision 1 if no other holds its version for its target hardware
   * (`holdsItsVersion`): one winner among any number of concurrent callers, the others get its
   * release and change nothing.
   */
  create(input: { release: NewRelease; event: SecurityEvent }): Promise<CreateReleaseOutcome>;
  /** The release as it stands, or null. */
  find(id: number): Promise<Release | null>;
  /** Releases with an id below `before`, newest first, at most `limit`. Null: of any. */
  list(input: {
    targetHardware: string | null;
    rolloutChannel: string | null;
    statuses: readonly ReleaseStatus[];
    before: number;
    limit: number;
  }): Promise<readonly Release[]>;
  /** Every active release, oldest first. */
  offerable(): Promise<readonly Release[]>;
  /** Applies the changes and raises the revision if that still is `expectedRevision`. */
  change(input: {
    id: number;
    expectedRevision: number;
    changes: ReleaseChanges;
    event: SecurityEvent;
  }): Promise<ChangeReleaseOutcome>;
}
