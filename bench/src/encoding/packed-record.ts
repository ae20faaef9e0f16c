import { createReader, createWriter } from "./bytes.js";
import { readNumber, writeNumber } from "./decimals.js";

const writer = createWriter(2_048);

/** A device's strings are mostly those of its record before. */
let last: { text: string; strings: readonly string[] } = { text: "", strings: [] };

/** What stood in a record's holes: the numbers first, so that charts need not come to the rest. */
export function packRecord(numbers: readonly number[], strings: readonly string[]): Buffer {
  for (let n = 0; n < numbers.length; n++) writeNumber(writer, numbers[n] as number);
  if (strings.length > 0)
    writer.bytes(Buffer.from(strings.map((text) => JSON.stringify(text)).join(",")));
  return writer.take();
}

export function unpackRecord(
  packed: Buffer,
  count: number,
): { numbers: number[]; strings: readonly string[] } {
  const reader = createReader(packed);
  const numbers = new Array<number>(count);
  for (let n = 0; n < count; n++) numbers[n] = readNumber(reader);
  const text = packed.toString("utf8", reader.offset());
  if (text !== last.text) last = { text, strings: JSON.parse(`[${text}]`) as string[] };
  return { numbers, strings: last.strings };
}
