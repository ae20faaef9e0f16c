import {
  digestContent,
  type RowContent,
  sameContent,
  type TelemetryRecord,
} from "@device-gateway/core/store";
import type { Database } from "../database/database.js";
import type { ShapeRows } from "./shapes/shape-rows.js";

/**
 * A new record is compared with this many records of its instant. For further ones, digests are
 * compared.
 */
const comparedRecords = 8;

interface InstantRow extends RowContent {
  readonly seq: number | null;
  readonly timed: 0 | 1;
}

/** A record of an instant. */
type Known = Pick<TelemetryRecord, "seq" | "isTimed" | "value">;

/** Finds timed records that are already stored (§4). */
export interface DuplicateSearch {
  /** Call it when a transaction begins. */
  begin(): void;
  /**
   * Returns whether the record is a duplicate. Call `noteStored` after the record is stored in this
   * transaction.
   */
  search(
    device: number,
    record: TelemetryRecord,
  ): { readonly isDuplicate: boolean; readonly noteStored?: () => void };
  /** Deletes up to 500 digests, oldest first, of instants before `at`. */
  dropBefore(at: number): void;
}

/**
 * Each timed record of an instant is one of its first eight records, or its digest is stored. A
 * device that sends any number of records for one instant therefore costs no more than others.
 */
export function prepareDuplicateSearch(database: Database, shapes: ShapeRows): DuplicateSearch {
  const atInstant = database.prepare<[number, number], InstantRow>(
    `SELECT seq, timed, shape, content FROM telemetry WHERE device = ? AND at = ?
     ORDER BY position LIMIT ${comparedRecords}`,
  );
  const findDigest = database.prepare<[number, number, string, number | null]>(
    "SELECT 1 FROM telemetry_crowds WHERE device = ? AND at = ? AND digest = ? AND seq IS ?",
  );
  const noteDigest = database.prepare<[number, number, string, number | null]>(
    "INSERT INTO telemetry_crowds (device, at, digest, seq) VALUES (?, ?, ?, ?)",
  );
  const drop = database.prepare<[number]>(
    `DELETE FROM telemetry_crowds WHERE rowid IN
       (SELECT rowid FROM telemetry_crowds ORDER BY rowid LIMIT 500) AND at < ?`,
  );
  /** The first records of the last searched instant: a batch may consist of one instant. */
  let instant: { device: number; at: number; first: Known[] } | undefined;
  const isLast = (device: number, at: number) => instant?.device === device && instant.at === at;

  function firstOf(device: number, at: number): Known[] {
    if (instant !== undefined && isLast(device, at)) return instant.first;
    const first = atInstant
      .all(device, at)
      .map((row) => ({ seq: row.seq, isTimed: row.timed === 1, value: shapes.unpackRecord(row) }));
    instant = { device, at, first };
    return first;
  }

  return {
    begin() {
      instant = undefined;
    },
    search(device, record) {
      const { at, seq, isTimed, value } = record;
      if (!isTimed) {
        // Its instant has one more record now.
        if (isLast(device, at)) instant = undefined;
        return { isDuplicate: false };
      }
      const first = firstOf(device, at);
      const isSame = (known: Known) =>
        known.isTimed && known.seq === seq && sameContent(known.value, value);
      if (first.some(isSame)) return { isDuplicate: true };
      if (first.length < comparedRecords) {
        return { isDuplicate: false, noteStored: () => void first.push(record) };
      }
      const digest = digestContent(value);
      return {
        isDuplicate: findDigest.get(device, at, digest, seq) !== undefined,
        noteStored: () => void noteDigest.run(device, at, digest, seq),
      };
    },
    dropBefore: (at) => void drop.run(at),
  };
}
