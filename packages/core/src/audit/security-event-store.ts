import type { ActivityKind, SecurityEvent, SecurityEventKind } from "./security-event.js";

export interface StoredSecurityEvent extends SecurityEvent {
  /**
   * Ascending in commit order among the events of one device. An id is never reused, unless a failover or a restored
   * backup lost events.
   */
  readonly id: number;
}

/** Which events to read. Without a field, those of every device, actor or kind. */
export interface EventFilter {
  readonly deviceId?: string | undefined;
  readonly actor?: string | undefined;
  readonly kinds?: readonly SecurityEventKind[] | undefined;
}

/**
 * Reads the event log, of which the audit trail is the larger part, and deletes old events. The other stores write it,
 * each event in the transaction of its change.
 */
export interface SecurityEventStore {
  /**
   * Returns at most `limit` events with an id above `after`, oldest first. A caller that continues after
   * the last id misses no event: an event that is committed later has a higher id than every event that
   * was ever listed. An index finds the events of a device, an actor or some kinds. A store of several databases leaves out
   * the events of those that do not answer, which get higher ids later; with `complete` it rejects instead.
   */
  list(
    input: EventFilter & { after: number; limit: number; complete?: boolean },
  ): Promise<readonly StoredSecurityEvent[]>;
  /**
   * Returns at most `limit` events with an id below `before`, newest first. Returns only events that `list` also returns.
   * A store of several databases leaves out the events of those that do not answer, as `list` does. With `complete`, or for a
   * device in such a database, it rejects instead.
   */
  newest(
    input: EventFilter & { before: number; limit: number; complete?: boolean },
  ): Promise<readonly StoredSecurityEvent[]>;
  /** Examines the oldest `limit` events of a kind and deletes those from before a time. Returns how many it deleted. */
  prune(input: { kind: ActivityKind; before: number; limit: number }): Promise<number>;
  /** Returns the highest id that was ever deleted, or 0. A reader that continues after a lower one may have missed events. */
  prunedUpTo(): Promise<number>;
}
