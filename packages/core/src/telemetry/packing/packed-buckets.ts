import type { MetricBucket } from "../bucket.js";
import { createByteReader } from "./byte-reader.js";
import { createByteWriter } from "./byte-writer.js";
import { readNumber, skipNumber, writeNumber } from "./packed-number.js";

/** Flags of a metric: which of its numbers follow. */
const constant = 1;
const sumFollows = 2;
const countFollows = 4;

const writer = createByteWriter(4_096);
const reader = createByteReader();

/** The metrics of an hour: their names, as a skeleton that hours share, and their packed aggregates. */
export interface PackedBuckets {
  readonly skeleton: string;
  readonly packed: Uint8Array;
}

/**
 * Packs the aggregates of the metrics of one bucket of time.
 *
 * @example
 * const { skeleton, packed } = packBuckets(buckets);
 */
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

/** Which of a list of names are wanted. `end` is the index after the last wanted one. */
interface Wanted {
  readonly names: readonly string[];
  readonly isWanted: (name: string) => boolean;
  readonly flags: readonly boolean[];
  readonly end: number;
}

/** Result of the last call. A chart reads many hours with the same names in a row. */
let wanted: Wanted | undefined;

function wantedOf(names: readonly string[], isWanted: (name: string) => boolean): Wanted {
  if (wanted?.names !== names || wanted.isWanted !== isWanted) {
    const flags = names.map(isWanted);
    wanted = { names, isWanted, flags, end: flags.lastIndexOf(true) + 1 };
  }
  return wanted;
}

/**
 * Unpacks the wanted buckets of a skeleton's names. They start at `start`.
 *
 * @example
 * const buckets = unpackBuckets(names, row.content, row.hour, (name) => name === "soc");
 */
export function unpackBuckets(
  names: readonly string[],
  packed: Uint8Array,
  start: number,
  isWanted: (name: string) => boolean,
): MetricBucket[] {
  const { flags: isRead, end } = wantedOf(names, isWanted);
  reader.open(packed);
  const usual = reader.varint();
  const buckets: MetricBucket[] = [];
  for (let place = 0; place < end; place++) {
    const flags = reader.byte();
    const count = flags & countFollows ? reader.varint() : usual;
    if (!isRead[place]) {
      const numbers = (flags & constant ? 1 : 4) + (flags & sumFollows ? 2 : 0);
      for (let n = 0; n < numbers; n++) skipNumber(reader);
      continue;
    }
    const min = readNumber(reader);
    const isConstant = (flags & constant) !== 0;
    const max = isConstant ? min : readNumber(reader);
    const first = isConstant ? min : readNumber(reader);
    const last = isConstant ? min : readNumber(reader);
    const hasSum = (flags & sumFollows) !== 0;
    const sum = hasSum ? readNumber(reader) : min * count;
    const rest = hasSum ? readNumber(reader) : 0;
    const name = names[place] as string;
    buckets.push({ start, name, min, max, sum, rest, count, first, last });
  }
  reader.checkEnd();
  return buckets;
}
