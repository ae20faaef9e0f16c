import type { MetricBucket } from "../bucket.js";
import { createByteReader } from "./byte-reader.js";
import { createByteWriter } from "./byte-writer.js";
import { readNumber, writeNumber } from "./packed-number.js";

/** What is left out of a metric, as bits of the byte in front of it. */
const constant = 1;
const sumFollows = 2;
const countFollows = 4;

const writer = createByteWriter(4_096);
const reader = createByteReader();

/** The metrics of an hour: their names, as a skeleton that other hours share, and what they did. */
export interface PackedBuckets {
  readonly skeleton: string;
  readonly packed: Uint8Array;
}

/** Packs what the metrics did in one stretch of time. */
export function packBuckets(buckets: readonly MetricBucket[]): PackedBuckets {
  const usual = buckets[0]?.count ?? 0;
  writer.varint(usual);
  for (const { min, max, sum, rest, count, first, last } of buckets) {
    const isConstant = min === max;
    const isProduct = isConstant && sum === min * count && rest === 0;
    const isUsual = count === usual;
    writer.byte(
      (isConstant ? constant : 0) + (isProduct ? 0 : sumFollows) + (isUsual ? 0 : countFollows),
    );
    if (!isUsual) writer.varint(count);
    writeNumber(writer, min);
    if (!isConstant) for (const value of [max, first, last]) writeNumber(writer, value);
    if (!isProduct) for (const value of [sum, rest]) writeNumber(writer, value);
  }
  return { skeleton: JSON.stringify(buckets.map(({ name }) => name)), packed: writer.take() };
}

/** Reads the wanted buckets of a skeleton's names again; they begin at `start`. */
export function unpackBuckets(
  names: readonly string[],
  packed: Uint8Array,
  start: number,
  isWanted: (name: string) => boolean,
): MetricBucket[] {
  reader.open(packed);
  const usual = reader.varint();
  const buckets: MetricBucket[] = [];
  for (const name of names) {
    const flags = reader.byte();
    const count = flags & countFollows ? reader.varint() : usual;
    const min = readNumber(reader);
    const [max, first, last] =
      flags & constant
        ? [min, min, min]
        : [readNumber(reader), readNumber(reader), readNumber(reader)];
    const [sum, rest] =
      flags & sumFollows ? [readNumber(reader), readNumber(reader)] : [min * count, 0];
    if (isWanted(name)) buckets.push({ start, name, min, max, sum, rest, count, first, last });
  }
  reader.restAsText();
  return buckets;
}
