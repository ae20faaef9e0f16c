/**
 * Whether the changes of a device could not be read, because its database is one of several and does not answer. Until a
 * later outcome says otherwise, what is cached of the device may be out of date. An empty id stands for the database of the
 * event log.
 */
export type IsUnread = (deviceId: string) => boolean;

export type ChangesOutcome =
  | {
      readonly kind: "changes";
      readonly cursor: string;
      readonly deviceIds: readonly string[];
      /** Whether a firmware release was created or changed. */
      readonly releasesChanged: boolean;
      /** Default: the changes of all devices were read. */
      readonly isUnread?: IsUnread;
    }
  /** Not all changes since the cursor are known. Clear every cache and continue from this cursor. */
  | { readonly kind: "reset"; readonly cursor: string; readonly isUnread?: IsUnread };

/**
 * Lists what any process changed, so that the others update their caches. It contains every transition of a
 * device (registered again, used, profile, claimed, released, configured, revoked, reinstated, erased, dropped)
 * and every change of a firmware release.
 */
export interface ChangeFeed {
  /**
   * Returns what changed since `cursor` and the cursor to continue from. A null cursor returns `reset`. A change
   * that was committed before the call is in this outcome or in an earlier one, whatever the order in which
   * transactions commit. Some changes may appear twice. A store of several databases returns what it could read and says
   * with `isUnread` what it could not; the cursor continues where it stopped reading. It rejects only if it could read nothing.
   */
  since(cursor: string | null): Promise<ChangesOutcome>;
  /** Deletes at most `limit` changes from before a time in epoch milliseconds. Returns how many it deleted. */
  prune(input: { before: number; limit: number }): Promise<number>;
}
