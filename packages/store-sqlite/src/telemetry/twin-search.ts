import { digestContent, sameContent, type TelemetryRecord } from "@device-gateway/core/store";
import type { Database } from "better-sqlite3";
import type { Content, ShapeRows } from "./shape-rows.js";

/** Records of one instant that a new one is compared with; beyond, digests are looked up. */
const crowd = 8;

interface InstantRow extends Content {
  readonly seq: number | null;
  readonly timed: 0 | 1;
}

/** Looks for a timed record that is stored already (contract §4). */
export interface TwinSearch {
  /** `isCrowded`: once the record is stored, `noteDigest` has to be called. */
  search(device: number, record: TelemetryRecord): { hasTwin: boolean; isCrowded: boolean };
  noteDigest(device: number, record: TelemetryRecord): void;
  /** Forgets instants that no record can have any more; some of them, from the oldest note on. */
  dropBefore(at: number): void;
}

/**
 * Each timed record of an instant is among the first eight there, or its digest is noted: so a
 * device that sends without end at one instant makes nobody wait.
 */
export function prepareTwinSearch(database: Database, shapes: ShapeRows): TwinSearch {
  const atInstant = database.prepare<[number, number], InstantRow>(
    `SELECT seq, timed, shape, content FROM telemetry WHERE device = ? AND at = ?
     ORDER BY position LIMIT ${crowd}`,
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
      const isTwin = (row: InstantRow) =>
        row.timed === 1 && row.seq === seq && sameContent(shapes.unpackRecord(row), value);
      if (rows.length > 0 && rows.some(isTwin)) return { hasTwin: true, isCrowded: false };
      const isCrowded = rows.length === crowd;
      const isNoted = () => findDigest.get(device, at, digestContent(value), seq) !== undefined;
      return { hasTwin: isCrowded && isNoted(), isCrowded };
    },
    noteDigest(device, { at, seq, value }) {
      noteDigest.run(device, at, digestContent(value), seq);
    },
    dropBefore: (at) => void drop.run(at),
  };
}
