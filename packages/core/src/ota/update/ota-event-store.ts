import type { OtaEvent } from "./ota-event.js";

export interface StoredOtaEvent extends OtaEvent {
  /** Ascends in the order of commit among a device's events, is never reused, below 2^53. */
  readonly id: number;
}

/** Reads OTA events. They are written together with the changes that they describe. */
export interface OtaEventStore {
  /** Returns a device's events that were created at `from` or later and have an id below `before`, newest first. */
  list(input: {
    deviceId: string;
    from: number;
    before: number;
    limit: number;
  }): Promise<readonly StoredOtaEvent[]>;
  /**
   * Deletes at most `limit` events that were created before a time. Returns how many, which may include events of
   * erased devices.
   */
  prune(input: { createdBefore: number; limit: number }): Promise<number>;
}
