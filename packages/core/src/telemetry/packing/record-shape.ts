import type { JsonObject } from "../../shared/json.js";
import { walkMetrics } from "../flatten-record.js";
import { createByteReader } from "./byte-reader.js";
import { createByteWriter } from "./byte-writer.js";
import { readNumber, skipNumber } from "./packed-number.js";
import { buildAlong, toShapeTree, writeAlong } from "./shape-tree.js";
import { fillSkeleton } from "./skeleton.js";

/** What all records with one skeleton share: packs and unpacks them. */
export interface RecordShape {
  readonly skeleton: string;
  /**
   * For each number of a packed record, in order (booleans count as 0 or 1), the name of its
   * metric; null where it is none.
   */
  readonly metricNames: readonly (string | null)[];
  /** The values of a record, without its names; undefined when it has another shape. */
  pack(record: JsonObject): Uint8Array | undefined;
  /** The record again: `JSON.stringify` gives the same text as for the one that was packed. */
  unpack(packed: Uint8Array): JsonObject;
}

const writer = createByteWriter(4_096);
const reader = createByteReader();
/** UTF-16 code units of strings that a shape remembers: whoever sends a record chooses their length. */
const rememberedText = 4_096;

/** Creates a shape of a skeleton, as `skeletonOf` writes it. */
export function toRecordShape(skeleton: string): RecordShape {
  const example = fillSkeleton(skeleton);
  const tree = toShapeTree(example);
  const metricNames: (string | null)[] = [];
  walkMetrics(example, (name) => metricNames.push(name));
  /** A device's strings are mostly those of its record before. */
  let last: { text: string; strings: readonly string[] } = { text: "", strings: [] };

  const stringsOf = (text: string): readonly string[] => {
    if (text === last.text) return last.strings;
    const strings = JSON.parse(`[${text}]`) as string[];
    if (text.length <= rememberedText) last = { text, strings };
    return strings;
  };

  return {
    skeleton,
    metricNames,
    pack(record) {
      const strings: string[] = [];
      if (!writeAlong(tree, record, writer, strings)) {
        writer.drop();
        return undefined;
      }
      // Behind the numbers, so that who reads numbers need not come to them.
      if (strings.length > 0) writer.utf8(JSON.stringify(strings).slice(1, -1));
      return writer.take();
    },
    unpack(packed) {
      reader.open(packed);
      const numbers = metricNames.map(() => readNumber(reader));
      const strings = stringsOf(reader.restAsText());
      let number = 0;
      let string = 0;
      const nextNumber = () => numbers[number++] as number;
      const nextString = () => strings[string++] as string;
      return buildAlong(tree, nextNumber, nextString) as JsonObject;
    },
  };
}

/** Reads chosen metrics of packed records, and no further than the last of them. */
export interface MetricReader {
  /** In the order of `read`. The same array for every record of the shape. */
  readonly names: readonly string[];
  /** Valid until the next call. */
  read(packed: Uint8Array): Float64Array;
}

export function createMetricReader(
  { metricNames }: RecordShape,
  isWanted: (name: string) => boolean,
): MetricReader {
  const names: string[] = [];
  const places: number[] = [];
  for (const [place, name] of metricNames.entries()) {
    if (name === null || !isWanted(name)) continue;
    names.push(name);
    places.push(place);
  }
  const values = new Float64Array(names.length);
  return {
    names,
    read(packed) {
      reader.open(packed);
      let passed = 0;
      for (let n = 0; n < places.length; n++) {
        for (const place = places[n] as number; passed < place; passed++) skipNumber(reader);
        values[n] = readNumber(reader);
        passed++;
      }
      return values;
    },
  };
}
