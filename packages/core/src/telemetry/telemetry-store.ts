import type { OtaEvent } from "../ota/update/ota-event.js";
import type { UpdateRules } from "../ota/update/update-rules.js";
import type { ReportOutcome } from "../ota/update/update-store.js";
import type { JsonObject } from "../shared/json.js";
import type { MetricBucket } from "./bucket.js";
import type { Leaf } from "./flatten-leaves.js";
import type { MetricSelection } from "./metric-selection.js";

/** A valid record, as it is to be stored. */
export interface TelemetryRecord {
  /** Time of the measurement in epoch milliseconds. The time of receipt if the record has no timestamp. */
  readonly at: number;
  /** The record's `seq`, or null. */
  readonly seq: number | null;
  /** Whether the record has a timestamp. A record without one is never a duplicate. */
  readonly isTimed: boolean;
  /** The record as it was sent. History and export return it. */
  readonly value: JsonObject;
}

/** A stored record. */
export interface StoredTelemetryRecord {
  /**
   * Number of the record. It ascends in the order of commit among a device's records and is never reused, unless a
   * failover or a restored backup lost records. The numbers of batches that several devices commit at once may
   * interleave.
   */
  readonly position: number;
  readonly at: number;
  readonly receivedAt: number;
  readonly seq: number | null;
  /** The whole record. `JSON.stringify` returns the same text as for the record that was sent. */
  readonly value: JsonObject;
}

/** A stored record, with the device that sent it. */
export interface FollowedRecord extends StoredTelemetryRecord {
  readonly deviceId: string;
  /** The device's current target hardware. */
  readonly targetHardware: string;
}

/** A page of the records of all devices. */
export interface FollowedPage {
  /** The records of each device in order of position. It can be empty before the end. */
  readonly records: readonly FollowedRecord[];
  /** The cursor to continue from. It equals the given cursor if there is nothing more to read now. */
  readonly next: string;
}

/** The idempotency key of a request: a repeat returns the first response (§4). */
export interface AppendOnce {
  readonly key: string;
  /** Digest of the request's body. The same key with another digest is rejected. */
  readonly fingerprint: string;
  /** Epoch milliseconds. A request that is received later may use the key again. */
  readonly expiresAt: number;
  /** Stored with the key and returned on a repeat: the rest of the first response. */
  readonly memo: string;
}

export interface AppendInput {
  readonly deviceId: string;
  /** The core's clock, in epoch milliseconds. */
  readonly receivedAt: number;
  readonly records: readonly TelemetryRecord[];
  readonly once: AppendOnce | null;
  /** OTA statuses that may be new, in the order of their records. Default: none. */
  readonly otaReports?: readonly OtaReport[];
}

/**
 * An OTA status of a device. It is reported (`UpdateStore.report`) if it differs from the previous one.
 *
 * The status passes through core twice: `ingestTelemetry` builds it, and the store calls core's rule `advanceUpdate`
 * within `append`. The rule cannot run before `append`. It needs rows that only the transaction of the append can read:
 * whether the record is new, the previous fingerprint, the update and the tally. It cannot run after it, because a
 * crash in between would lose the report of a record that was acknowledged.
 */
export interface OtaReport {
  /** Index of its record in `records`. */
  readonly record: number;
  readonly fingerprint: string;
  readonly event: OtaEvent;
  readonly rules: UpdateRules;
}

export type AppendVerdict = "stored" | "duplicate";

export type AppendOutcome =
  | {
      readonly kind: "appended";
      readonly verdicts: readonly AppendVerdict[];
      /** The outcomes of the OTA statuses that were new. Absent if no statuses were sent. */
      readonly reports?: readonly ReportOutcome[];
    }
  /** The key was used with this body before. Returns its verdicts and memo; writes nothing. */
  | {
      readonly kind: "repeated";
      readonly verdicts: readonly AppendVerdict[];
      readonly memo: string;
    }
  /** The key was used with another body. Writes nothing. */
  | { readonly kind: "key_reused" }
  /** The device does not exist any more. Stores nothing. */
  | { readonly kind: "unknown_device" };

/** A device's records in a range of time of measurement, limited to those that a user may see. */
export interface RecordRange {
  readonly deviceId: string;
  /** Epoch milliseconds: `from` inclusive, `to` exclusive. */
  readonly from: number;
  readonly to: number;
  /** Only records received at this time or later. */
  readonly receivedFrom: number;
}

/** A place in the order of records: by `at`, then by `position`. */
export interface RecordPlace {
  readonly at: number;
  readonly position: number;
}

/** Every string, number and boolean of a record. */
export interface RecordLeaves extends RecordPlace {
  /** Paths in the order of the record, written like the names of metrics. Records can share the array. */
  readonly names: readonly string[];
  /** The value of each name. */
  readonly values: readonly Leaf[];
}

/** The wanted metrics of a record. */
export interface MetricSample extends RecordPlace {
  /** Names in the order of the record, empty if it has none of the wanted metrics. Records can share the array. */
  readonly names: readonly string[];
  /** The value of each name. */
  readonly values: ArrayLike<number>;
}

export interface MetricPage {
  readonly samples: readonly MetricSample[];
  /** The place of the last sample if the range has more samples after it, else null. */
  readonly next: RecordPlace | null;
}

export interface RollUpOutcome {
  readonly built: number;
  readonly more: boolean;
}

export interface ReopenOutcome {
  readonly reopened: number;
  readonly kept: number;
}

/** What an aggregate has read so far. */
export interface AggregateProgress {
  /** The number of records that were read one by one. */
  records: number;
  /** The largest number of metrics in the roll-up of one hour, whether they are wanted or not. */
  mostMetrics: number;
}

/** Buckets of a range. */
export interface AggregateQuery extends RecordRange {
  /** Length of a bucket in milliseconds. */
  readonly intervalMs: number;
  readonly selection: MetricSelection;
  /** The store updates it while it reads. */
  readonly progress?: AggregateProgress;
}

/** Reads of history and export. */
export type TelemetryReads = Pick<
  TelemetryStore,
  "count" | "samples" | "leaves" | "metrics" | "aggregate"
>;

/** Stores the records that devices send. */
export interface TelemetryStore {
  /**
   * Stores records and resolves when they are durable, with a verdict on each. A timed record is a `duplicate` if a
   * timed record of the same device with the same `at` and `seq`, for which `sameContent` holds, is stored already or
   * comes earlier in this call. In one transaction it writes the records, the key of `once`, and the device's
   * `lastSeenAt` and `lastTelemetryAt`, which never move back. In the same transaction it handles each of `otaReports`
   * whose record is stored and whose fingerprint differs from the device's `otaFingerprint`: it stores the fingerprint,
   * reports the status as `UpdateStore.report` does, and adds the device to the change feed. The status of a duplicate
   * is ignored, because it was reported with the first record.
   */
  append(input: AppendInput): Promise<AppendOutcome>;
  /**
   * Returns, for each device in the given order, the latest record that was measured and received at `from` or later,
   * or null. Of several with the latest time of measurement, it is the one that arrived last.
   */
  latest(
    devices: readonly { readonly deviceId: string; readonly from: number }[],
  ): Promise<readonly (StoredTelemetryRecord | null)[]>;
  /** Returns the number of records in a range. Stops counting at `atMost`. */
  count(input: RecordRange & { atMost: number }): Promise<number>;
  /**
   * Returns whole records of a range after the place `after`, in ascending or descending order of time. A page has at
   * most `limit` records, and fewer if they are large. It is empty only at the end.
   */
  samples(
    input: RecordRange & {
      order: "oldest_first" | "newest_first";
      after: RecordPlace | null;
      limit: number;
    },
  ): Promise<readonly StoredTelemetryRecord[]>;
  /**
   * Like `samples` with `oldest_first`, but returns the leaves of the records. If `namesOnly`, `values` are empty,
   * which is faster.
   */
  leaves(
    input: RecordRange & { after: RecordPlace | null; limit: number; namesOnly: boolean },
  ): Promise<readonly RecordLeaves[]>;
  /**
   * Returns the wanted metrics of a range's records before the place `before`, newest first. A page has at most
   * `limit` records, and fewer if they are large. Records without any wanted metric count towards the limit.
   */
  metrics(
    input: RecordRange & {
      selection: MetricSelection;
      before: RecordPlace | null;
      limit: number;
    },
  ): Promise<MetricPage>;
  /**
   * Returns the aggregates of the wanted metrics in each bucket of a range, sorted by start. They are exact, include
   * late records, and do not depend on which hours are rolled up. A bucket has at most `mostMetrics` metrics, and so
   * has the roll-up of an hour, wanted or not; others are left out. A store calls `turn` between pieces of work of some
   * milliseconds, outside of transactions. If
   * `turn` rejects, the read ends with its error. Without `turn`, the store yields to the event loop.
   */
  aggregate(input: AggregateQuery, turn?: () => Promise<void>): Promise<readonly MetricBucket[]>;
  /**
   * Builds roll-ups of at most `limit` hours that ended before a time (epoch milliseconds), and of hours that a late
   * record changed. `aggregate` returns the same before and after. Returns how many were built and closed, and whether
   * more are left. Calls with the same `before` are one pass. In a pass, an hour that changes or cannot be built is
   * tried only once. The pass rejects at its end if an hour could not be built.
   */
  rollUp(input: { before: number; limit: number }): Promise<RollUpOutcome>;
  /**
   * Marks a device's hours that overlap a range (epoch milliseconds), so that `rollUp` builds them again. Until then,
   * `aggregate` reads their records. Hours that may have lost records are kept as they are. Returns the number of
   * each.
   */
  reopenHours(input: { deviceId: string; from: number; to: number }): Promise<ReopenOutcome>;
  /**
   * Returns, for each device in the given order, a position up to which all records of the device are committed. If no
   * append is in progress, no record of the device has a higher one. 0 if there are no records.
   */
  lastPositions(deviceIds: readonly string[]): Promise<readonly number[]>;
  /**
   * Deletes at most `limit` records that were received before a time (epoch milliseconds). Also continues to delete
   * the records of erased devices. Returns how many it deleted, which may include some of the latter.
   */
  prune(input: { receivedBefore: number; limit: number }): Promise<number>;
  /** Deletes at most `limit` roll-ups of hours before a time. Returns how many. */
  pruneRollUps(input: { before: number; limit: number }): Promise<number>;
  /**
   * Returns a device's records with a position above `after`, in ascending order. A page has at most `limit` records,
   * and fewer if they are large. It is empty only at the end.
   */
  read(input: {
    deviceId: string;
    after: number;
    limit: number;
  }): Promise<readonly StoredTelemetryRecord[]>;
  /**
   * Returns records of all devices after a cursor, those of each device in order of position: at most `limit`, and
   * fewer if they are large. The empty cursor is the start of what is kept; other cursors come from `next` and `end`,
   * are opaque and stay valid. A reader that continues from `next` gets each record once, even while several processes
   * commit at the same time. It gets neither pruned records nor those of erased devices. If a failover lost the last
   * records, positions are assigned again: after a rejected call, a reader continues from the cursor that it has stored
   * in the same database.
   * @throws {TypeError} if `after` is not a cursor.
   */
  follow(input: { after: string; limit: number }): Promise<FollowedPage>;
  /** Returns a cursor after which `follow` returns every record that is appended after this call. */
  end(): Promise<string>;
}
