import type { SecurityEvent } from "../../audit/security-event.js";
import type { ReleaseStatus } from "../../contract/index.js";
import type { Release } from "./release.js";

/** A release without the number that the store assigns. */
export type NewRelease = Omit<Release, "id" | "revision">;

/** The fields of a release that can change. All others stay as they were created and signed. */
export type ReleaseChanges = Partial<
  Pick<
    Release,
    "status" | "rolloutPercent" | "rolloutChannel" | "hasImage" | "haltedAt" | "activatedAt"
  >
>;

export type CreateReleaseOutcome =
  | { readonly kind: "created"; readonly release: Release }
  /** Another release has this version for this target hardware. */
  | { readonly kind: "exists"; readonly release: Release };

export type ChangeReleaseOutcome =
  | { readonly kind: "changed"; readonly release: Release }
  | { readonly kind: "conflict" }
  | { readonly kind: "unknown" };

/**
 * Stores firmware releases. Each change writes its security event in the same transaction, with the `releaseId` added
 * to its details, and is in the change feed.
 */
export interface ReleaseStore {
  /**
   * Inserts a release with revision 1 if no other release holds its version for its target hardware
   * (`holdsItsVersion`). Of any number of concurrent callers, one creates the release. All others get that release
   * and change nothing.
   */
  create(input: { release: NewRelease; event: SecurityEvent }): Promise<CreateReleaseOutcome>;
  /** Returns the release, or null. */
  find(id: number): Promise<Release | null>;
  /** Returns at most `limit` releases with an id below `before`, newest first. Null means any value. */
  list(input: {
    targetHardware: string | null;
    rolloutChannel: string | null;
    statuses: readonly ReleaseStatus[];
    before: number;
    limit: number;
  }): Promise<readonly Release[]>;
  /** Returns all active releases, oldest first. */
  offerable(): Promise<readonly Release[]>;
  /** Applies the changes and raises the revision, if the revision is still `expectedRevision`. */
  change(input: {
    id: number;
    expectedRevision: number;
    changes: ReleaseChanges;
    event: SecurityEvent;
  }): Promise<ChangeReleaseOutcome>;
}
