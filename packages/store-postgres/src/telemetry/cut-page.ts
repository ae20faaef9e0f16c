import type { RecordRow } from "@device-gateway/core/store";

/** A page ends after this many bytes: a record may be as large as a request body, and an hour may have many metrics. */
const pageBytes = 1_048_576;

interface Page {
  /** A query for the rows, with a limit. It selects `content`. */
  readonly query: string;
  /** The order of the rows. It is unique. */
  readonly order: string;
  /** The page ends at the row with which its contents have this many bytes. Default: 1 MiB. */
  readonly bytes?: number;
  /** Bytes that a row counts in addition to its content. Default: 0. */
  readonly bytesPerRow?: number;
}

/** A row of a page. */
export interface PageRow extends RecordRow {
  /** Whether the query has more rows. The page ended early if this is true of its last row. */
  readonly hasNext: boolean;
}

/**
 * Returns a query for the first rows of a page, which ends early if they are large. It finds at least one row if there
 * is one. Postgres knows the length of a content without reading it, so it reads no contents of the other rows.
 */
export const cutPage = ({ query, order, bytes = pageBytes, bytesPerRow = 0 }: Page): string =>
  `SELECT * FROM (
     SELECT p.*, lead(true, 1, false) OVER earlier AS "hasNext",
       coalesce(sum(octet_length(content) + ${bytesPerRow}) OVER earlier, 0) AS bytes_before
     FROM (${query}) AS p
     WINDOW earlier AS (ORDER BY ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
   ) AS s WHERE bytes_before < ${bytes}`;

/** Returns whether a page ended early. */
export const isCut = (rows: readonly Pick<PageRow, "hasNext">[]): boolean =>
  rows.at(-1)?.hasNext === true;

/** Returns whether more rows may follow a page that was read with this limit. */
export const mayHaveMore = (rows: readonly PageRow[], limit: number): boolean =>
  rows.length >= limit || isCut(rows);
