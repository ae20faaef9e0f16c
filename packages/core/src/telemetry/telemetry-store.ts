import type { OtaEvent } from "../ota/update/ota-event.js";
import type { UpdateRules } from "../ota/update/update-rules.js";
import type { ReportOutcome } from "../ota/update/update-store.js";
import type { JsonObject } from "../shared/json.js";
import type { MetricBucket } from "./bucket.js";
import type { MetricSelection } from "./metric-selection.js";

/** One record that passed the rules, as it is to be stored. */
export interface TelemetryRecord {
  /** When it was measured, in epoch milliseconds; the time of receipt if the record has none. */
  readonly at: number;
  /** The record's `seq`, or null. */
  readonly seq: number | null;
  /** Whether it has a timestamp of its own: records without one never match another. */
  readonly isTimed: boolean;
  /** The record as it was sent: what history and export give back. */
  readonly value: JsonObject;
}

/** A record as it was stored. */
export interface StoredTelemetryRecord {
  /**
   * Ascending in the order of commit among a device's records, never reused. Batches of several devices
   * that are committed at once may take turns.
   */
  readonly position: number;
  readonly at: number;
  readonly receivedAt: number;
  readonly seq: number | null;
  /** The record whole: `JSON.stringify` gives the same text as for the one that was sent. */
  readonly value: JsonObject;
}

/** What makes a request safe to repeat (contract §4). */
export interface AppendOnce {
  readonly key: string;
  /** Digest of the request's body: the same key with another one is refused. */
  readonly fingerprint: string;
  /** Epoch milliseconds: a request received later than this may use the key anew. */
  readonly expiresAt: number;
  /** Kept with the key and given back at a repeat: what else the first answer was made of. */
  readonly memo: string;
}

export interface AppendInput {
  readonly deviceId: string;
  /** The core's clock, in epoch milliseconds. */
  readonly receivedAt: number;
  readonly records: readonly TelemetryRecord[];
  readonly once: AppendOnce | null;
  /** OTA statuses that may be news, in the order in which the device told them. Default: none. */
  readonly otaStatuses?: readonly OtaReport[];
}

/** An OTA status of a device, to be reported (`UpdateStore.report`) if it differs from the one before. */
export interface OtaReport {
  /** The index of its record in `records`. */
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
      /** What those OTA statuses came to that were news; absent when none came with the records. */
      readonly reports?: readonly ReportOutcome[];
    }
  /** The key was used with this body before: the verdicts and memo of then; nothing is written. */
  | {
      readonly kind: "repeated";
      readonly verdicts: readonly AppendVerdict[];
      readonly memo: string;
    }
  /** The key was used with another body; nothing is written. */
  | { readonly kind: "key_reused" }
  /** The device is gone; nothing is stored. */
  | { readonly kind: "unknown_device" };

/** A device's records measured in a range of time, as far as somebody may see them. */
export interface RecordRange {
  readonly deviceId: string;
  /** Epoch milliseconds: `from` inclusive, `to` exclusive. */
  readonly from: number;
  readonly to: number;
  /** Only records received at this time or later. */
  readonly receivedFrom: number;
}

/** A place in the order of records by `at`, then by `position`. */
export interface RecordPlace {
  readonly at: number;
  readonly position: number;
}

/** What a record has of the wanted metrics. */
export interface MetricSample extends RecordPlace {
  /** In the order of the record; empty if it has none of them. Records may share the array. */
  readonly names: readonly string[];
  /** Of each name. */
  readonly values: ArrayLike<number>;
}

export interface MetricPage {
  readonly samples: readonly MetricSample[];
  /** The place of the last sample if the range has more beyond it, else null. */
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

/** The records that devices sent. */
export interface TelemetryStore {
  /**
   * Stores records and resolves when they are durable, with a verdict each. A timed record is a
   * `duplicate` if a timed one of the same device, `at` and `seq` is stored already, or comes earlier
   * in this call, with which `sameContent` holds. The records and the key of `once` become visible
   * together, and with them the device's `lastSeenAt` and `lastTelemetryAt`, which never move back. Each of
   * `otaStatuses` whose record is stored and that differs from the device's `otaFingerprint` replaces it and
   * is reported as `UpdateStore.report` does, in the same transaction, and is in the change feed. What a
   * duplicate says was told when it came first.
   */
  append(input: AppendInput): Promise<AppendOutcome>;
  /**
   * Each device's record measured last (of several at that time, the one that arrived last) that
   * was measured and received at `from` or later; in the order asked, null without one.
   */
  latest(
    devices: readonly { readonly deviceId: string; readonly from: number }[],
  ): Promise<readonly (StoredTelemetryRecord | null)[]>;
  /** How many records a range has, counting no further than `atMost`. */
  count(input: RecordRange & { atMost: number }): Promise<number>;
  /**
   * Reads records of a range in the order of time or against it, those beyond `after` alone; whole. A page
   * has at most `limit`, and fewer if they are large; it is empty only at the end.
   */
  samples(
    input: RecordRange & {
      order: "oldest_first" | "newest_first";
      after: RecordPlace | null;
      limit: number;
    },
  ): Promise<readonly StoredTelemetryRecord[]>;
  /**
   * Reads the wanted metrics of a range's records, the newest first, those before `before` alone. A page has at
   * most `limit` records, and fewer if they are large; those without any wanted metric count.
   */
  metrics(
    input: RecordRange & {
      selection: MetricSelection;
      before: RecordPlace | null;
      limit: number;
    },
  ): Promise<MetricPage>;
  /**
   * What the wanted metrics did in each bucket of a range, by start. Exact, late records included,
   * and the same whatever has been rolled up. Of more than `mostMetrics` in one bucket some are left out.
   */
  aggregate(
    input: RecordRange & { intervalMs: number; selection: MetricSelection },
  ): Promise<readonly MetricBucket[]>;
  /**
   * Prepares hours of devices that were over before a time, in epoch milliseconds, for `aggregate`:
   * at most `limit`, those that a late record changed among them. It changes no answer. Says how
   * many were prepared, and whether there is more to do.
   */
  rollUp(input: { before: number; limit: number }): Promise<RollUpOutcome>;
  /**
   * Marks a device's hours that touch a range, in epoch milliseconds, to be built anew by `rollUp`;
   * until then `aggregate` reads their records. Hours of which records may be gone are kept as they
   * are. Says how many of each.
   */
  reopenHours(input: { deviceId: string; from: number; to: number }): Promise<ReopenOutcome>;
  /** One up to which every record is committed, of whichever device: the highest when nothing is under way; 0 if none was given out. */
  lastPosition(): Promise<number>;
  /**
   * Forgets records received before a time, in epoch milliseconds, at most `limit`; says how many.
   * Goes on with what erased devices left over, which stops nothing; some of it may be counted.
   */
  prune(input: { receivedBefore: number; limit: number }): Promise<number>;
  /** Forgets roll-ups of hours before a time, at most `limit`; says how many. */
  pruneRollUps(input: { before: number; limit: number }): Promise<number>;
  /**
   * Reads a device's records with a position above `after`, in that order. A page has at most `limit`, and
   * fewer if they are large; it is empty only at the end.
   */
  read(input: {
    deviceId: string;
    after: number;
    limit: number;
  }): Promise<readonly StoredTelemetryRecord[]>;
}
