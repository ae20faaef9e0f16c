/**
 * Durable cursors of processes that follow a log. One process at a time holds a follower's lease. All times are epoch
 * milliseconds of the caller's clock.
 */
export interface FollowerStore {
  /**
   * Takes the lease until `until`, or renews the holder's own, in one atomic statement. Returns the stored cursor ("" at
   * first), or null while another holder's lease is valid at `at`. A lease is valid before its `until`, unless that is more
   * than `mostAheadMs` after both `at` and the new `until`: then the holder's clock was wrong.
   */
  take(input: {
    name: string;
    holder: string;
    at: number;
    until: number;
  }): Promise<{ readonly cursor: string } | null>;
  /**
   * Stores the cursor if `holder` still holds the lease. Returns whether it did. A holder keeps an expired lease until
   * another one takes it.
   */
  advance(input: { name: string; holder: string; cursor: string }): Promise<boolean>;
  /** Ends the holder's lease, so that another process can continue at once. Does nothing for any other holder. */
  release(input: { name: string; holder: string }): Promise<void>;
  /** Deletes the follower with its cursor and lease. */
  remove(name: string): Promise<void>;
}
