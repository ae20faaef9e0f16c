/** A page, or a step that deletes rows, ends after this many bytes: one record may be as large as a request body. */
const pageBytes = 1_048_576;

/** A row, or only the length of its content. */
type Sized = { readonly content: Uint8Array } | number;

/** A page of rows. It has fewer rows than requested if they are large. */
export interface RowPage<Row> {
  readonly rows: readonly Row[];
  /** True if the page ended early because its rows are large. */
  readonly isCut: boolean;
}

const lengthOf = (row: Sized) => (typeof row === "number" ? row : row.content.length);

/** Takes rows, or their lengths, until the contents are as large as a page may be. */
export function takePage<Row extends Sized>(found: Iterable<Row>): RowPage<Row> {
  const rows: Row[] = [];
  let bytes = 0;
  for (const row of found) {
    if (bytes >= pageBytes) return { rows, isCut: true };
    rows.push(row);
    bytes += lengthOf(row);
  }
  return { rows, isCut: false };
}
