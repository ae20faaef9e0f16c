import type { JsonObject } from "../../shared/json.js";
import { flattenLeaves, type Leaf } from "../flatten-leaves.js";
import { walkMetrics } from "../flatten-record.js";
import { createByteReader } from "./byte-reader.js";
import { createByteWriter } from "./byte-writer.js";
import { readNumber, skipNumber } from "./packed-number.js";
import { buildAlong, toShapeTree, writeAlong } from "./shape-tree.js";
import { fillSkeleton } from "./skeleton.js";

/** The layout that all records with one skeleton share. It packs and unpacks them. */
export interface RecordShape {
  readonly skeleton: string;
  /**
   * The metric name of each number of a packed record, in order (booleans count as 0 or 1). Null if the number is not
   * a metric.
   */
  readonly metricNames: readonly (string | null)[];
  /** The path of each string, number and boolean of a record, in order. */
  readonly leafNames: readonly string[];
  /** Returns the values of a record without its names, or undefined if the record has another shape. */
  pack(record: JsonObject): Uint8Array | undefined;
  /** Returns the value of each of `leafNames`. */
  leaves(packed: Uint8Array): Leaf[];
  /** Returns the record. `JSON.stringify` returns the same text as for the record that was packed. */
  unpack(packed: Uint8Array): JsonObject;
}

const writer = createByteWriter(4_096);
const reader = createByteReader();
/** Largest length, in UTF-16 code units, of the strings that a shape remembers. The sender chooses their length. */
const maxRememberedText = 4_096;

/**
 * Creates the shape of a skeleton that `skeletonOf` returned.
 *
 * @example
 * const shape = toRecordShape(skeletonOf({ soc: 50 }));
 */
export function toRecordShape(skeleton: string): RecordShape {
  const example = fillSkeleton(skeleton);
  const tree = toShapeTree(example);
  const metricNames: (string | null)[] = [];
  walkMetrics(example, (name) => metricNames.push(name));
  const leaves = flattenLeaves(example);
  const leafTypes = leaves.map(([, value]) => typeof value);
  const stringPlaces = leafTypes.flatMap((type, place) => (type === "string" ? place : []));
  /** The strings of the previous record. A device's next record usually has the same. */
  let last: { text: string; strings: readonly string[] } = { text: "", strings: [] };

  const stringsOf = (text: string): readonly string[] => {
    if (text === last.text) return last.strings;
    const strings = JSON.parse(`[${text}]`) as string[];
    if (text.length <= maxRememberedText) last = { text, strings };
    return strings;
  };

  return {
    skeleton,
    metricNames,
    leafNames: leaves.map(([name]) => name),
    leaves(packed) {
      reader.open(packed);
      const values: Leaf[] = [];
      for (let n = 0; n < leafTypes.length; n++) {
        const type = leafTypes[n];
        if (type === "number") values.push(readNumber(reader));
        else values.push(type === "boolean" ? readNumber(reader) === 1 : "");
      }
      const texts = stringsOf(reader.restAsText());
      for (let n = 0; n < stringPlaces.length; n++) {
        values[stringPlaces[n] as number] = texts[n] as string;
      }
      return values;
    },
    pack(record) {
      const strings: string[] = [];
      if (!writeAlong(tree, record, writer, strings)) {
        writer.drop();
        return undefined;
      }
      // After the numbers, so that a reader of numbers need not skip them.
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

/** Decodes chosen metrics of packed records. It stops after the last of them. */
export interface MetricReader {
  /** Names of the chosen metrics, in the order of `read`. All records of the shape share this array. */
  readonly names: readonly string[];
  /** Returns the values of the chosen metrics. They are valid until the next call. */
  read(packed: Uint8Array): Float64Array;
}

/**
 * Creates a reader that decodes the wanted metrics of a shape's records.
 *
 * @example
 * const reader = createMetricReader(shape, (name) => name === "soc");
 */
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
