import type {
  RecordPlace,
  RecordRow,
  RowRange,
  StoredTelemetryRecord,
} from "@device-gateway/core/store";
import type { Database } from "../database/database.js";
import type { ShapeRows } from "./shapes/shape-rows.js";

type PageParameters = RowRange & { place: number; position: number; limit: number };

const inRange = "device = @device AND at >= @from AND at < @to AND received_at >= @receivedFrom";
const columns = "position, at, received_at AS receivedAt, seq, shape, content";
/**
 * Up to this many positions, scanning the records of all devices is faster than searching those of
 * one device. It takes a few milliseconds, as does a search in the index of as many records of one
 * device.
 */
const nearby = 10_000;

/** A page ends after this many bytes: one record may be as large as a request body. */
const pageBytes = 1_048_576;

/** A page of rows. It has fewer rows than requested if they are large. */
export interface RowPage {
  readonly rows: readonly RecordRow[];
  /** True if the page ended early because its rows are large. */
  readonly isCut: boolean;
}

function takePage(found: IterableIterator<RecordRow>): RowPage {
  const rows: RecordRow[] = [];
  let bytes = 0;
  for (const row of found) {
    if (bytes >= pageBytes) return { rows, isCut: true };
    rows.push(row);
    bytes += row.content.length;
  }
  return { rows, isCut: false };
}

/** A page of rows in order of arrival. */
interface ArrivalPage extends RowPage {
  /** If the page is empty, the position after which to search next. Null at the end. */
  readonly next: number | null;
}

/** Reads records of a device. */
export interface RecordRows {
  count(range: RowRange, atMost: number): number;
  /** Returns records in order of time, after `after`. */
  oldestFirst(range: RowRange, after: RecordPlace | null, limit: number): RowPage;
  /** Like `oldestFirst`. The contents of records with a shape are empty. */
  shapesOldestFirst(range: RowRange, after: RecordPlace | null, limit: number): RowPage;
  newestFirst(range: RowRange, after: RecordPlace | null, limit: number): RowPage;
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
  const prepareAscending = (selected: string) =>
    database.prepare<[PageParameters], RecordRow>(
      `SELECT ${selected} FROM telemetry WHERE ${inRange} AND (at, position) > (@place, @position)
       ORDER BY at, position LIMIT @limit`,
    );
  const ascending = prepareAscending(columns);
  const shapesAscending = prepareAscending(
    "position, at, shape, iif(shape IS NULL, content, x'') AS content",
  );
  const descending = database.prepare<[PageParameters], RecordRow>(
    `SELECT ${columns} FROM telemetry WHERE ${inRange} AND (at, position) < (@place, @position)
     ORDER BY at DESC, position DESC LIMIT @limit`,
  );
  const amongAll = database.prepare<
    [{ device: number; after: number; to: number; limit: number }],
    RecordRow
  >(
    `SELECT ${columns} FROM telemetry
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
    `SELECT ${columns} FROM telemetry WHERE position IN
       (SELECT position FROM telemetry INDEXED BY telemetry_by_time
        WHERE device = @device AND +position > @after ORDER BY position LIMIT @limit)
     ORDER BY position`,
  );
  const latest = database.prepare<[number, number, number], RecordRow>(
    `SELECT ${columns} FROM telemetry WHERE device = ? AND at >= ? AND received_at >= ?
     ORDER BY at DESC, position DESC LIMIT 1`,
  );
  const lastPosition = database
    .prepare<[], number>("SELECT seq FROM sqlite_sequence WHERE name = 'telemetry'")
    .pluck();

  /** Searches the next records of all devices after a position. */
  function searchAll(device: number, after: number, limit: number, last: number): ArrivalPage {
    const place = { device, after, to: after + nearby };
    const next = place.to < last ? place.to : null;
    return { ...takePage(amongAll.iterate({ ...place, limit })), next };
  }

  const readAscending =
    (rows: typeof ascending): RecordRows["oldestFirst"] =>
    (range, after, limit) => {
      const { at: place, position } = after ?? { at: Number.MIN_SAFE_INTEGER, position: 0 };
      // SQLite does not use the row value for the index, so the range starts where the last page
      // ended.
      const from = Math.max(range.from, place);
      return takePage(rows.iterate({ ...range, from, place, position, limit }));
    };

  return {
    lastPosition: () => lastPosition.get() ?? 0,
    count: (range, atMost) => count.get({ ...range, atMost }) ?? 0,
    oldestFirst: readAscending(ascending),
    shapesOldestFirst: readAscending(shapesAscending),
    newestFirst(range, after, limit) {
      const { at: place, position } = after ?? { at: Number.MAX_SAFE_INTEGER - 1, position: 0 };
      const to = Math.min(range.to, place + 1);
      return takePage(descending.iterate({ ...range, to, place, position, limit }));
    },
    inOrder(device, after, limit) {
      const last = lastPosition.get() ?? 0;
      if (last - after <= nearby) return searchAll(device, after, limit, last);
      const hasFew = hasMoreThan.get(device, nearby) === undefined;
      if (hasFew) return { ...takePage(ofDevice.iterate({ device, after, limit })), next: null };
      // Positions without records, such as those of expired ones, take no time.
      const first = nextPosition.get(after) ?? last;
      return searchAll(device, first - 1, limit, last);
    },
    latest: (device, from) => latest.get(device, from, from),
  };
}
