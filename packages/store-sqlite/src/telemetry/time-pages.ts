import type { RecordPlace, RecordRow, RowRange } from "@device-gateway/core/store";
import type { Database } from "../database/database.js";
import { type RowPage, takePage } from "./row-page.js";

type Limited<Parameters> = Parameters & { readonly limit: number };

/** Reads a page of a device's records, after the place `after`. */
type ReadPage = (range: RowRange, after: RecordPlace | null, limit: number) => RowPage<RecordRow>;

/** The condition for records of a `RowRange`. */
export const inRange =
  "device = @device AND at >= @from AND at < @to AND received_at >= @receivedFrom";
/** The columns of a `RecordRow`. */
export const recordColumns = "position, at, received_at AS receivedAt, seq, shape, content";

/** Reads a device's records in order of time. */
export interface TimePages {
  readonly oldestFirst: ReadPage;
  /** Like `oldestFirst`. The contents of records with a shape are empty. */
  readonly shapesOldestFirst: ReadPage;
  readonly newestFirst: ReadPage;
}

/**
 * A page that starts within an instant first reads the rest of that instant. With one range over
 * both columns, SQLite would read every index entry of the instant again, and an instant may have
 * any number of records.
 */
function prepareOrder(database: Database, columns: string, order: "ASC" | "DESC"): ReadPage {
  const isAscending = order === "ASC";
  const operator = isAscending ? ">" : "<";
  const restOfInstant = database.prepare<[Limited<RowRange & RecordPlace>], RecordRow>(
    `SELECT ${columns} FROM telemetry INDEXED BY telemetry_by_time
     WHERE device = @device AND at = @at AND position ${operator} @position
       AND received_at >= @receivedFrom
     ORDER BY position ${order} LIMIT @limit`,
  );
  const ofRange = database.prepare<[Limited<RowRange>], RecordRow>(
    `SELECT ${columns} FROM telemetry WHERE ${inRange}
     ORDER BY at ${order}, position ${order} LIMIT @limit`,
  );

  /** Returns the part of a range after an instant. */
  const beyond = (range: RowRange, at: number): RowRange =>
    isAscending
      ? { ...range, from: Math.max(range.from, at + 1) }
      : { ...range, to: Math.min(range.to, at) };

  function* rowsAfter(range: RowRange, { at, position }: RecordPlace, limit: number) {
    let left = limit;
    if (at >= range.from && at < range.to) {
      for (const row of restOfInstant.iterate({ ...range, at, position, limit })) {
        left -= 1;
        yield row;
      }
    }
    if (left > 0) yield* ofRange.iterate({ ...beyond(range, at), limit: left });
  }

  return (range, after, limit) =>
    takePage(after ? rowsAfter(range, after, limit) : ofRange.iterate({ ...range, limit }));
}

export function prepareTimePages(database: Database): TimePages {
  const shapesOnly = "position, at, shape, iif(shape IS NULL, content, x'') AS content";
  return {
    oldestFirst: prepareOrder(database, recordColumns, "ASC"),
    shapesOldestFirst: prepareOrder(database, shapesOnly, "ASC"),
    newestFirst: prepareOrder(database, recordColumns, "DESC"),
  };
}
