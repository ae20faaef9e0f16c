export type ChangesOutcome =
  | {
      readonly kind: "changes";
      readonly cursor: string;
      readonly deviceIds: readonly string[];
      /** Whether a firmware release was created or changed. */
      readonly releasesChanged: boolean;
    }
  /** Changes since the cursor are no longer all known: forget everything, go on from here. */
  | { readonly kind: "reset"; readonly cursor: string };

/**
 * Tells a process what the others changed. Every transition of a device (registered again, used,
 * profile, claimed, released, configured, revoked, reinstated, erased, dropped) is in it, and every
 * change of a firmware release.
 */
export interface ChangeFeed {
  /**
   * What changed since `cursor`, and the cursor to go on from; null gives `reset`. Each
   * change that was committed before the call is in this outcome or in an earlier one, whatever
   * the order in which transactions commit; some may come twice.
   */
  since(cursor: string | null): Promise<ChangesOutcome>;
  /** Forgets changes from before a time, in epoch milliseconds, at most `limit`; says how many. */
  prune(input: { before: number; limit: number }): Promise<number>;
}
