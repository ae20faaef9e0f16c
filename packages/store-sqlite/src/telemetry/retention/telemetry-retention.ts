import type { Database } from "../../database/database.js";
import type { DuplicateSearch } from "../append/duplicate-search.js";
import type { RecordRows } from "../record-rows.js";
import { takePage } from "../row-page.js";
import { prepareShapeUses } from "../shapes/shape-uses.js";

/** Records that are passed over in one step, which takes a few milliseconds. */
const stepRecords = 10_000;

/** What a step of a deletion did. */
interface DeletionStep {
  readonly deleted: number;
  /** True if the step ended early because its rows are large. The next step has more. */
  readonly isCut: boolean;
}

/** Deletes expired data, a bounded number of rows at a time. */
export interface TelemetryRetention {
  /**
   * Deletes the expired ones of the first `limit` records in order of arrival, without those that
   * were passed over.
   */
  pruneRecords(receivedBefore: number, limit: number): DeletionStep;
  /**
   * Passes over records that are not expired, if later ones are: their time of receipt comes from a
   * clock that was ahead. Returns whether there are later ones.
   */
  passOver(receivedBefore: number): boolean;
  /** Deletes the oldest roll-ups of hours that began before `before`, at most `limit`. */
  pruneHours(before: number, limit: number): DeletionStep;
}

/** Records up to `position` were passed over. Those that are left were received at `receivedFrom` or later. */
const nonePassed = { position: 0, receivedFrom: Number.POSITIVE_INFINITY };

export function prepareRetention(
  database: Database,
  records: RecordRows,
  duplicates: DuplicateSearch,
): TelemetryRetention {
  const uses = prepareShapeUses(database);
  // The order of arrival is nearly the order of receipt, so no index over all devices is needed.
  const pruneRecords = database.prepare<[number, number, number]>(
    `DELETE FROM telemetry WHERE position IN
       (SELECT position FROM telemetry WHERE position > ? ORDER BY position LIMIT ?)
     AND received_at < ?`,
  );
  const arrivals = database.prepare<[number, number], { position: number; receivedAt: number }>(
    `SELECT position, received_at AS receivedAt FROM telemetry WHERE position > ?
     ORDER BY position LIMIT ?`,
  );
  const notePruned = database.prepare<[number]>(
    "UPDATE telemetry_watermark SET pruned_before = max(pruned_before, ?)",
  );
  const firstPosition = database
    .prepare<[], number | null>("SELECT min(position) FROM telemetry")
    .pluck();
  const pruneHours = database.prepare<[number, number]>(
    `DELETE FROM telemetry_rollups WHERE (device, hour) IN
       (SELECT device, hour FROM telemetry_rollups WHERE hour < ? ORDER BY hour LIMIT ?)`,
  );
  // SQLite knows the length of a blob without reading it.
  const recordLengths = database
    .prepare<[number, number, number], number>(
      `SELECT CASE WHEN received_at < ? THEN length(content) ELSE 0 END FROM telemetry
       WHERE position > ? ORDER BY position LIMIT ?`,
    )
    .pluck();
  const hourLengths = database
    .prepare<[number, number], number>(
      "SELECT length(content) FROM telemetry_rollups WHERE hour < ? ORDER BY hour LIMIT ?",
    )
    .pluck();
  const firstHour = database
    .prepare<[], number | null>("SELECT min(hour) FROM telemetry_rollups")
    .pluck();
  let passed = nonePassed;

  /**
   * Returns whether any record that was not passed over is expired. It checks few records: each distance is a quarter
   * longer than the one before. So it finds the expired records once they are at least a quarter as many as the records
   * before them.
   */
  function hasExpired(receivedBefore: number): boolean {
    let record = arrivals.get(passed.position, 1);
    for (let distance = 1; record !== undefined; distance += Math.ceil(distance / 4)) {
      if (record.receivedAt < receivedBefore) return true;
      record = arrivals.get(record.position + distance - 1, 1);
    }
    return false;
  }

  return {
    passOver(receivedBefore) {
      if (!hasExpired(receivedBefore)) return false;
      for (const { position, receivedAt } of arrivals.iterate(passed.position, stepRecords)) {
        if (receivedAt < receivedBefore) break;
        passed = { position, receivedFrom: Math.min(passed.receivedFrom, receivedAt) };
      }
      return true;
    },
    pruneRecords(receivedBefore, limit) {
      if (passed.receivedFrom < receivedBefore) passed = nonePassed;
      notePruned.run(receivedBefore);
      const { position } = passed;
      const { rows, isCut } = takePage(recordLengths.iterate(receivedBefore, position, limit));
      const { changes } = pruneRecords.run(position, rows.length, receivedBefore);
      duplicates.dropBefore(receivedBefore);
      uses.dropBefore("record", firstPosition.get() ?? records.lastPosition() + 1);
      return { deleted: changes, isCut };
    },
    pruneHours(before, limit) {
      const { rows, isCut } = takePage(hourLengths.iterate(before, limit));
      const { changes: deleted } = pruneHours.run(before, rows.length);
      uses.dropBefore("hour", firstHour.get() ?? before);
      return { deleted, isCut };
    },
  };
}
