import type { OtaEvent } from "./ota-event.js";

export interface StoredOtaEvent extends OtaEvent {
  /** Ascending among a device's in the order of commit, never reused, below 2^53. */
  readonly id: number;
}

/** Reads OTA events. They are written with what they tell of. */
export interface OtaEventStore {
  /** A device's events created at `from` or later with an id below `before`, newest first. */
  list(input: {
    deviceId: string;
    from: number;
    before: number;
    limit: number;
  }): Promise<readonly StoredOtaEvent[]>;
  /**
   * Forgets events created before a time, at most `limit`; says how many, some that erased devices
   * left over perhaps among them.
   */
  prune(input: { createdBefore: number; limit: number }): Promise<number>;
}
