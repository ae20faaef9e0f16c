import type { RecordRow, RowRange, StoredTelemetryRecord } from "@device-gateway/core/store";
import type { Database } from "../database/database.js";
import { createRecentArrivals } from "./recent-arrivals.js";
import { type RowPage, takePage } from "./row-page.js";
import type { ShapeRows } from "./shapes/shape-rows.js";
import { inRange, prepareTimePages, recordColumns, type TimePages } from "./time-pages.js";

/**
 * Records of all devices, or index entries of one device, that one turn of the event loop searches.
 * That takes a few milliseconds.
 */
const nearby = 10_000;

/** A page of rows in order of arrival. */
interface ArrivalPage extends RowPage<RecordRow> {
  /** If the page is empty, the position after which to search next. Null at the end. */
  readonly next: number | null;
}

/** Reads records of a device. */
export interface RecordRows extends TimePages {
  count(range: RowRange, atMost: number): number;
  /**
   * Returns records in order of arrival, after a position. It searches so few records that it takes
   * one turn of the event loop.
   */
  inOrder(device: number, after: number, limit: number): ArrivalPage;
  /**
   * Returns the latest record by timestamp, of the records measured and received at `from` or
   * later.
   */
  latest(device: number, from: number): RecordRow | undefined;
  lastPosition(): number;
}

export function toRecord(shapes: ShapeRows, row: RecordRow): StoredTelemetryRecord {
  const { position, at, receivedAt, seq } = row;
  return { position, at, receivedAt, seq, value: shapes.unpackRecord(row) };
}

export function prepareRecordRows(database: Database): RecordRows {
  const count = database
    .prepare<[RowRange & { atMost: number }], number>(
      `SELECT count(*) FROM (SELECT 1 FROM telemetry WHERE ${inRange} LIMIT @atMost)`,
    )
    .pluck();
  const amongAll = database.prepare<
    [{ device: number; after: number; to: number; limit: number }],
    RecordRow
  >(
    `SELECT ${recordColumns} FROM telemetry
     WHERE position > @after AND position <= @to AND +device = @device
     ORDER BY position LIMIT @limit`,
  );
  const hasMoreThan = database
    .prepare<[number, number], number>(
      "SELECT 1 FROM telemetry INDEXED BY telemetry_by_time WHERE device = ? LIMIT 1 OFFSET ?",
    )
    .pluck();
  const nextPosition = database
    .prepare<[number], number | null>("SELECT min(position) FROM telemetry WHERE position > ?")
    .pluck();
  const ofDevice = database.prepare<[{ device: number; after: number; limit: number }], RecordRow>(
    `SELECT ${recordColumns} FROM telemetry WHERE position IN
       (SELECT position FROM telemetry INDEXED BY telemetry_by_time
        WHERE device = @device AND +position > @after ORDER BY position LIMIT @limit)
     ORDER BY position`,
  );
  const latest = database.prepare<[number, number, number], RecordRow>(
    `SELECT ${recordColumns} FROM telemetry WHERE device = ? AND at >= ? AND received_at >= ?
     ORDER BY at DESC, position DESC LIMIT 1`,
  );
  const wasSilentSince = database.prepare<[number, number]>(
    "SELECT 1 FROM telemetry_senders WHERE device = ? AND last_at < ?",
  );
  const lastPosition = database
    .prepare<[], number>("SELECT seq FROM sqlite_sequence WHERE name = 'telemetry'")
    .pluck();

  const atPositions = database.prepare<[string], RecordRow>(
    `SELECT ${recordColumns} FROM telemetry
     WHERE position IN (SELECT value FROM json_each(?)) ORDER BY position`,
  );
  const recent = createRecentArrivals(database);

  function readRecent(positions: readonly number[], limit: number): ArrivalPage {
    const wanted = positions.slice(0, limit);
    const next = positions.length > limit ? (wanted.at(-1) ?? null) : null;
    if (wanted.length === 0) return { rows: [], isCut: false, next };
    return { ...takePage(atPositions.iterate(JSON.stringify(wanted))), next };
  }

  /** Searches the next records of all devices after a position. */
  function searchAll(device: number, after: number, limit: number, last: number): ArrivalPage {
    const place = { device, after, to: after + nearby };
    const next = place.to < last ? place.to : null;
    return { ...takePage(amongAll.iterate({ ...place, limit })), next };
  }

  return {
    ...prepareTimePages(database),
    lastPosition: () => lastPosition.get() ?? 0,
    count: (range, atMost) => count.get({ ...range, atMost }) ?? 0,
    inOrder(device, after, limit) {
      const last = lastPosition.get() ?? 0;
      const positions = recent.after(device, after, last);
      if (positions !== null) return readRecent(positions, limit);
      const hasFew = hasMoreThan.get(device, nearby) === undefined;
      if (hasFew) return { ...takePage(ofDevice.iterate({ device, after, limit })), next: null };
      // Positions without records, such as those of expired ones, take no time.
      const first = nextPosition.get(after) ?? last;
      return searchAll(device, first - 1, limit, last);
    },
    latest(device, from) {
      // The search would look at every record with a later timestamp that was received before.
      const hasNone = wasSilentSince.get(device, from) !== undefined;
      return hasNone ? undefined : latest.get(device, from, from);
    },
  };
}
