import type { SecurityEvent } from "./security-event.js";

export interface StoredSecurityEvent extends SecurityEvent {
  /** Ascending in commit order among the events of one device. An id is never reused. */
  readonly id: number;
}

/** Reads the audit trail. The other stores write it, each event in the transaction of its change. */
export interface SecurityEventStore {
  /**
   * Returns at most `limit` events with an id above `after`, oldest first. A caller that continues after
   * the last id misses no event: an event that is committed later has a higher id than every event that
   * was ever listed.
   */
  list(input: { after: number; limit: number }): Promise<readonly StoredSecurityEvent[]>;
  /** Returns at most `limit` events with an id below `before`, newest first. Returns only events that `list` also returns. */
  newest(input: { before: number; limit: number }): Promise<readonly StoredSecurityEvent[]>;
}
