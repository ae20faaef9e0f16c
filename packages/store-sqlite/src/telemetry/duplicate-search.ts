import {
  digestContent,
  type RowContent,
  sameContent,
  type TelemetryRecord,
} from "@device-gateway/core/store";
import type { Database } from "better-sqlite3";
import type { ShapeRows } from "./shape-rows.js";

/**
 * A new record is compared with this many records of its instant. For further ones, digests are
 * compared.
 */
const comparedRecords = 8;

interface InstantRow extends RowContent {
  readonly seq: number | null;
  readonly timed: 0 | 1;
}

/** Finds timed records that are already stored (§4). */
export interface DuplicateSearch {
  /**
   * Returns whether the record is a duplicate. If `isCrowded`, call `noteDigest` after the record
   * is stored.
   */
  search(device: number, record: TelemetryRecord): { isDuplicate: boolean; isCrowded: boolean };
  noteDigest(device: number, record: TelemetryRecord): void;
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
  return {
    search(device, { at, seq, value }) {
      const rows = atInstant.all(device, at);
      const isDuplicate = (row: InstantRow) =>
        row.timed === 1 && row.seq === seq && sameContent(shapes.unpackRecord(row), value);
      if (rows.length > 0 && rows.some(isDuplicate)) return { isDuplicate: true, isCrowded: false };
      const isCrowded = rows.length === comparedRecords;
      const isNoted = () => findDigest.get(device, at, digestContent(value), seq) !== undefined;
      return { isDuplicate: isCrowded && isNoted(), isCrowded };
    },
    noteDigest(device, { at, seq, value }) {
      noteDigest.run(device, at, digestContent(value), seq);
    },
    dropBefore: (at) => void drop.run(at),
  };
}
