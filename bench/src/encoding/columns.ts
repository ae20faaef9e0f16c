import { createReader, createWriter, type Reader, type Writer } from "./bytes.js";
import { asDouble, decimalsOf, fromZigzag, powers, toZigzag } from "./decimals.js";

const constant = 16;
/** Steps between mantissas below this are, with their sign, whole numbers below 2^53. */
const stepBound = 2 ** 50;

/** The first value, then steps: a column that wanders slowly takes a byte or so a value. */
function writeColumn(writer: Writer, values: readonly number[]): void {
  let digits = 0;
  let same = true;
  for (const value of values) {
    digits = Math.max(digits, decimalsOf(value));
    same &&= value === values[0];
  }
  if (
    digits !== asDouble &&
    values.some((value) => Math.abs(value) >= stepBound / (powers[digits] as number))
  ) {
    digits = asDouble;
  }
  writer.byte(same ? digits + constant : digits);
  const kept = same ? values.slice(0, 1) : values;
  if (digits === asDouble) {
    for (const value of kept) writer.float64(value);
    return;
  }
  const power = powers[digits] as number;
  let last = 0;
  for (const value of kept) {
    const mantissa = Math.round(value * power);
    writer.varint(toZigzag(mantissa - last));
    last = mantissa;
  }
}

function readColumn(reader: Reader, count: number): Float64Array {
  const values = new Float64Array(count);
  const mode = reader.byte();
  const digits = mode % constant;
  const kept = mode >= constant ? 1 : count;
  let mantissa = 0;
  for (let n = 0; n < kept; n++) {
    if (digits === asDouble) values[n] = reader.float64();
    else {
      mantissa += fromZigzag(reader.varint());
      values[n] = mantissa / (powers[digits] as number);
    }
  }
  return mode >= constant ? values.fill(values[0] as number) : values;
}

/** Packs columns of one length; their own lengths stand in front, so that some can be read alone. */
export function packColumns(columns: readonly (readonly number[])[]): Buffer {
  const head = createWriter();
  const one = createWriter();
  const packed = columns.map((column) => {
    writeColumn(one, column);
    return one.take();
  });
  head.varint(columns[0]?.length ?? 0);
  head.varint(columns.length);
  for (const { length } of packed) head.varint(length);
  for (const bytes of packed) head.bytes(bytes);
  return head.take();
}

/** Reads the columns of these ascending places; without them, all. */
export function unpackColumns(blob: Buffer, places?: readonly number[]): readonly Float64Array[] {
  const reader = createReader(blob);
  const count = reader.varint();
  const lengths = Array.from({ length: reader.varint() }, () => reader.varint());
  const columns: Float64Array[] = [];
  let wanted = 0;
  for (const [place, length] of lengths.entries()) {
    if (places === undefined || places[wanted] === place) {
      columns.push(readColumn(reader, count));
      wanted++;
      if (wanted === places?.length) break;
    } else reader.skip(length);
  }
  return columns;
}
