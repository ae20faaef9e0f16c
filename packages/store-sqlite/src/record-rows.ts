import type { RecordPlace, RecordRange, StoredTelemetryRecord } from "@device-gateway/core/store";
import type { Database } from "better-sqlite3";

type RangeParameters = RecordRange & { place: number; position: number; limit: number };

const inRange = `device_id = @deviceId AND at >= @from AND at < @to AND received_at >= @receivedFrom`;
const columns = "position, at, received_at AS receivedAt, seq, body";

/** Reads of records by the time at which they were measured. */
export interface RecordRows {
  count(range: RecordRange, atMost: number): number;
  oldestFirst(
    range: RecordRange,
    after: RecordPlace | null,
    limit: number,
  ): StoredTelemetryRecord[];
  newestFirst(
    range: RecordRange,
    after: RecordPlace | null,
    limit: number,
  ): StoredTelemetryRecord[];
  /** Deletes from the record that arrived first on; says how many. */
  prune(receivedBefore: number, limit: number): number;
  lastPosition(): number;
}

export function prepareRecordRows(database: Database): RecordRows {
  const count = database
    .prepare<[RecordRange & { atMost: number }], number>(
      `SELECT count(*) FROM (SELECT 1 FROM telemetry WHERE ${inRange} LIMIT @atMost)`,
    )
    .pluck();
  const ascending = database.prepare<[RangeParameters], StoredTelemetryRecord>(
    `SELECT ${columns} FROM telemetry WHERE ${inRange} AND (at, position) > (@place, @position)
     ORDER BY at, position LIMIT @limit`,
  );
  const descending = database.prepare<[RangeParameters], StoredTelemetryRecord>(
    `SELECT ${columns} FROM telemetry WHERE ${inRange} AND (at, position) < (@place, @position)
     ORDER BY at DESC, position DESC LIMIT @limit`,
  );
  // In the order of arrival, which is nearly that of receipt: no index over all devices is needed.
  const prune = database.prepare<[number, number]>(
    `DELETE FROM telemetry WHERE position IN
       (SELECT position FROM telemetry ORDER BY position LIMIT ?) AND received_at < ?`,
  );
  const notePruned = database.prepare<[number]>(
    "UPDATE telemetry_watermark SET pruned_before = max(pruned_before, ?)",
  );
  const lastPosition = database
    .prepare<[], number>("SELECT seq FROM sqlite_sequence WHERE name = 'telemetry'")
    .pluck();
  return {
    prune(receivedBefore, limit) {
      notePruned.run(receivedBefore);
      return prune.run(limit, receivedBefore).changes;
    },
    lastPosition: () => lastPosition.get() ?? 0,
    count: (range, atMost) => count.get({ ...range, atMost }) ?? 0,
    oldestFirst(range, after, limit) {
      const { at: place, position } = after ?? { at: Number.MIN_SAFE_INTEGER, position: 0 };
      // The index can't use the row value, so the range itself begins where the last page ended.
      const from = Math.max(range.from, place);
      return ascending.all({ ...range, from, place, position, limit });
    },
    newestFirst(range, after, limit) {
      const { at: place, position } = after ?? { at: Number.MAX_SAFE_INTEGER - 1, position: 0 };
      const to = Math.min(range.to, place + 1);
      return descending.all({ ...range, to, place, position, limit });
    },
  };
}
