import { cutPage, type PageRow } from "./cut-page.js";

/** A part of a page of records. Postgres packs many rows into one value, because the driver takes long to parse rows. */
export interface PackedRows {
  readonly packed: Uint8Array;
}

/** A value has about this many bytes, twice as many as text, so that most values arrive in one read of the socket. */
const bytesPerValue = 16_384;
/** Stands for no `seq`. It is outside the range of `seq` (§5). */
const noSeq = Number.MIN_SAFE_INTEGER - 1;
/** Stands for no shape. */
const noShape = -1;

/** The fields of a packed row, each in network byte order, and the content after them. */
const fields = `boolsend("hasNext") || int8send(position) || int8send(at) || int8send(received_at)
  || int8send(coalesce(seq, ${noSeq})) || int4send(coalesce(shape, ${noShape}))
  || int4send(octet_length(content)) || content`;
const fieldBytes = 41;

/**
 * Returns a query for the packed records of a page, in any order: `unpackRows` puts them in order. The page ends early if
 * its records are large.
 */
export const packedPage = (query: string, order: string): string =>
  `SELECT string_agg(${fields}, '') AS packed
   FROM (${cutPage({ query, order, bytesPerRow: fieldBytes })}) AS page GROUP BY bytes_before / ${bytesPerValue}`;

/** Reads a signed integer of 64 bits as a number, exactly if it is a safe integer. */
const readInt64 = (view: DataView, place: number): number =>
  view.getInt32(place) * 2 ** 32 + view.getUint32(place + 4);

function* unpack({ packed }: PackedRows): Generator<PageRow> {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  for (let place = 0; place < packed.byteLength; ) {
    const seq = readInt64(view, place + 25);
    const shape = view.getInt32(place + 33);
    const begin = place + fieldBytes;
    const end = begin + view.getUint32(place + 37);
    yield {
      hasNext: view.getUint8(place) === 1,
      position: readInt64(view, place + 1),
      at: readInt64(view, place + 9),
      receivedAt: readInt64(view, place + 17),
      seq: seq === noSeq ? null : seq,
      shape: shape === noShape ? null : shape,
      content: packed.subarray(begin, end),
    };
    place = end;
  }
}

/** Unpacks the rows of a page in an order. */
export const unpackRows = (
  values: readonly PackedRows[],
  order: (a: PageRow, b: PageRow) => number,
): PageRow[] => values.flatMap((value) => [...unpack(value)]).sort(order);
