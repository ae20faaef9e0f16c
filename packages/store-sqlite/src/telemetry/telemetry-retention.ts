import type { Database } from "../database/database.js";
import type { DuplicateSearch } from "./duplicate-search.js";
import type { RecordRows } from "./record-rows.js";
import { prepareShapeUses } from "./shapes/shape-uses.js";

/** Deletes expired data, a bounded number of rows at a time. */
export interface TelemetryRetention {
  /** Deletes expired records in order of arrival. Returns how many. */
  pruneRecords(receivedBefore: number, limit: number): number;
  /** Deletes the oldest roll-ups of hours that began before `before`. Returns how many. */
  pruneHours(before: number, limit: number): number;
}

export function prepareRetention(
  database: Database,
  records: RecordRows,
  duplicates: DuplicateSearch,
): TelemetryRetention {
  const uses = prepareShapeUses(database);
  // The order of arrival is nearly the order of receipt, so no index over all devices is needed.
  const pruneRecords = database.prepare<[number, number]>(
    `DELETE FROM telemetry WHERE position IN
       (SELECT position FROM telemetry ORDER BY position LIMIT ?) AND received_at < ?`,
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
  const firstHour = database
    .prepare<[], number | null>("SELECT min(hour) FROM telemetry_rollups")
    .pluck();
  return {
    pruneRecords(receivedBefore, limit) {
      notePruned.run(receivedBefore);
      const { changes } = pruneRecords.run(limit, receivedBefore);
      duplicates.dropBefore(receivedBefore);
      uses.dropBefore("record", firstPosition.get() ?? records.lastPosition() + 1);
      return changes;
    },
    pruneHours(before, limit) {
      const { changes } = pruneHours.run(before, limit);
      uses.dropBefore("hour", firstHour.get() ?? before);
      return changes;
    },
  };
}
