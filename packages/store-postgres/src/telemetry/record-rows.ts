import type {
  RecordPlace,
  RecordRow,
  RowRange,
  StoredTelemetryRecord,
} from "@device-gateway/core/store";
import { countOf, type Session, type Statement, statement } from "../database/statement.js";
import { cutPage, isCut, type PageRow } from "./cut-page.js";
import { type PackedRows, packedPage, unpackRows } from "./packed-rows.js";
import {
  type KnownShapes,
  type RecordPage,
  type ShapeRows,
  unpackRecord,
} from "./shapes/shape-rows.js";

/** Positions above `after` and up to `to`. */
export interface PositionRange {
  readonly after: number;
  readonly to: number;
}

type PageParameters = RowRange & { place: number; position: number; limit: number };

const inRange = "device = @device AND at >= @from AND at < @to AND received_at >= @receivedFrom";
const stored = "position, at, received_at, seq, shape, content";
const columns = `position, at, received_at AS "receivedAt", seq, shape, content`;
const telemetry = "device_gateway.telemetry";

/** Returns a query for a page of rows. It has fewer rows than its limit if they are large. */
const pageOf = (selected: string, query: string, order: string) =>
  `SELECT ${selected}, "hasNext" FROM (${cutPage({ query, order })}) AS page
   ORDER BY ${order}`;

const count = statement<RowRange & { atMost: number }, { count: number }>(
  `SELECT count(*) AS count FROM (SELECT FROM ${telemetry} WHERE ${inRange} LIMIT @atMost) AS r`,
);
const ascendingOf = (read = stored) =>
  statement<PageParameters, PackedRows>(
    packedPage(
      `SELECT ${read} FROM ${telemetry}
       WHERE ${inRange} AND (at, position) > (@place, @position)
       ORDER BY at, position LIMIT @limit`,
      "at, position",
    ),
  );
const ascending = ascendingOf();
const shapesAscending = ascendingOf(
  "position, at, received_at, seq, shape, CASE WHEN shape IS NULL THEN content ELSE '' END AS content",
);
const descending = statement<PageParameters, PackedRows>(
  packedPage(
    `SELECT ${stored} FROM ${telemetry} WHERE ${inRange} AND (at, position) < (@place, @position)
     ORDER BY at DESC, position DESC LIMIT @limit`,
    "at DESC, position DESC",
  ),
);
const inOrder = statement<PositionRange & { device: number; limit: number }, PageRow>(
  pageOf(
    columns,
    `SELECT ${stored} FROM ${telemetry}
     WHERE device = @device AND position > @after AND position <= @to
     ORDER BY position LIMIT @limit`,
    "position",
  ),
);
// The bounds on `at` let the planner skip the partitions of other days.
const atPlaces = statement<
  {
    device: number;
    times: readonly number[];
    positions: readonly number[];
    first: number;
    last: number;
  },
  PageRow
>(
  pageOf(
    columns,
    `SELECT r.* FROM unnest(@times::bigint[], @positions::bigint[]) AS w (at, position),
     LATERAL (
       SELECT ${stored} FROM ${telemetry} AS t
       WHERE t.device = @device AND t.at = w.at AND t.position = w.position
         AND t.at >= @first AND t.at <= @last LIMIT 1
     ) AS r`,
    "position",
  ),
);
const latest = statement<
  { devices: readonly number[]; from: readonly number[]; earliest: number },
  PageRow & { place: number }
>(
  pageOf(
    `place, ${columns}`,
    `SELECT w.place, r.* FROM unnest(@devices::integer[], @from::bigint[])
       WITH ORDINALITY AS w (device, since, place),
     LATERAL (
       SELECT ${stored} FROM ${telemetry}
       WHERE device = w.device AND at >= w.since AND at >= @earliest AND received_at >= w.since
       ORDER BY at DESC, position DESC LIMIT 1
     ) AS r`,
    "place",
  ),
);

/** Unpacks rows into records. */
export const toRecords = ({ rows, shapes }: RecordPage): StoredTelemetryRecord[] =>
  rows.map((row) => toRecord(shapes, row));

/** Reads pages of rows until one has a row that can be unpacked, because an empty page would mean the end. */
export async function readPages(
  session: Session,
  shapes: ShapeRows,
  after: RecordPlace | null,
  readPage: (after: RecordPlace | null) => Promise<readonly PageRow[]>,
): Promise<RecordPage> {
  for (let place = after; ; ) {
    const from = place;
    const page = await shapes.readRecords(session, () => readPage(from));
    const last = page.all.at(-1);
    if (page.rows.length > 0 || last === undefined) return page;
    place = last;
  }
}

export function toRecord(known: KnownShapes, row: RecordRow): StoredTelemetryRecord {
  const { position, at, receivedAt, seq } = row;
  return { position, at, receivedAt, seq, value: unpackRecord(known, row) };
}

export async function countRows(session: Session, range: RowRange, atMost: number) {
  return countOf(await count(session, { ...range, atMost }));
}

type ReadPage = (
  session: Session,
  range: RowRange,
  after: RecordPlace | null,
  limit: number,
) => Promise<readonly PageRow[]>;

const byTime = (a: RecordPlace, b: RecordPlace): number => a.at - b.at || a.position - b.position;

const readAscending =
  (rows: typeof ascending): ReadPage =>
  async (session, range, after, limit) => {
    const { at: place, position } = after ?? { at: Number.MIN_SAFE_INTEGER, position: 0 };
    // The planner can skip the partitions before this time.
    const from = Math.max(range.from, place);
    const page = rows(session, { ...range, from, place, position, limit });
    return unpackRows(await page, byTime);
  };

/** Returns a page of records in order of time, after `after`. */
export const oldestFirst: ReadPage = readAscending(ascending);

/** Like `oldestFirst`. The contents of records with a shape are empty. */
export const shapesOldestFirst: ReadPage = readAscending(shapesAscending);

export async function newestFirst(
  session: Session,
  range: RowRange,
  after: RecordPlace | null,
  limit: number,
): Promise<readonly PageRow[]> {
  const { at: place, position } = after ?? { at: Number.MAX_SAFE_INTEGER - 1, position: 0 };
  const to = Math.min(range.to, place + 1);
  const page = await descending(session, { ...range, to, place, position, limit });
  return unpackRows(page, (a, b) => byTime(b, a));
}

/** Returns records of a device in order of arrival. */
export const betweenPositions: Statement<
  PositionRange & { device: number; limit: number },
  PageRow
> = inOrder;

/** Returns the records at some places in order of arrival. Leaves out those that were deleted. */
export async function recordsAt(
  session: Session,
  device: number,
  places: readonly RecordPlace[],
): Promise<readonly PageRow[]> {
  if (places.length === 0) return [];
  const times = places.map(({ at }) => at);
  const positions = places.map(({ position }) => position);
  const [first, last] = [Math.min(...times), Math.max(...times)];
  return atPlaces(session, { device, times, positions, first, last });
}

/**
 * Returns the latest record of each device by timestamp, of those measured and received at `from`
 * or later. `place` is that of the device in `devices`, counted from 1. Large records take several
 * statements.
 */
export async function latestOf(
  session: Session,
  devices: readonly { readonly device: number; readonly from: number }[],
): Promise<readonly (RecordRow & { readonly place: number })[]> {
  const found: (RecordRow & { readonly place: number })[] = [];
  for (let before = 0; before < devices.length; ) {
    const asked = devices.slice(before);
    const from = asked.map((each) => each.from);
    const numbers = asked.map(({ device }) => device);
    const rows = await latest(session, { devices: numbers, from, earliest: Math.min(...from) });
    for (const row of rows) found.push({ ...row, place: before + row.place });
    if (!isCut(rows)) break;
    before = found.at(-1)?.place ?? devices.length;
  }
  return found;
}
