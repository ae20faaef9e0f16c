import type { SecurityEvent } from "./security-event.js";

export interface StoredSecurityEvent extends SecurityEvent {
  /** Ascending in the order of commit for the events of one device; never reused. */
  readonly id: number;
}

/** Reads the audit trail. It is written by the transition methods of the other stores. */
export interface SecurityEventStore {
  /**
   * Events with an id above `after`, oldest first, at most `limit`. Who goes on behind the last id
   * misses none: what is committed later has a higher id than all that were ever listed.
   */
  list(input: { after: number; limit: number }): Promise<readonly StoredSecurityEvent[]>;
  /** Events with an id below `before` of those that `list` tells, newest first, at most `limit`. */
  newest(input: { before: number; limit: number }): Promise<readonly StoredSecurityEvent[]>;
}
