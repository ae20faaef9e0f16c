import type { SecurityEvent } from "./security-event.js";

export interface StoredSecurityEvent extends SecurityEvent {
  /** Ascending in commit order among the events of one device. An id is never reused. */
  readonly id: number;
}

/** Which events to read. Without a field, those of every device or actor. */
export interface EventFilter {
  readonly deviceId?: string | undefined;
  readonly actor?: string | undefined;
}

/** Reads the audit trail. The other stores write it, each event in the transaction of its change. */
export interface SecurityEventStore {
  /**
   * Returns at most `limit` events with an id above `after`, oldest first. A caller that continues after
   * the last id misses no event: an event that is committed later has a higher id than every event that
   * was ever listed. An index finds the events of a device or an actor.
   */
  list(
    input: EventFilter & { after: number; limit: number },
  ): Promise<readonly StoredSecurityEvent[]>;
  /** Returns at most `limit` events with an id below `before`, newest first. Returns only events that `list` also returns. */
  newest(
    input: EventFilter & { before: number; limit: number },
  ): Promise<readonly StoredSecurityEvent[]>;
}
