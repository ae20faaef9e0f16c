import { toTimestamp } from "../shared/timestamp.js";
import type { Leaf } from "../telemetry/flatten-leaves.js";
import type { RecordLeaves } from "../telemetry/telemetry-store.js";
import { toCsvField, toCsvLine } from "./csv.js";

/** Largest number of metric columns. Further values are in the last column, as JSON. */
const maxColumns = 1_000;
/** Names that the table uses itself. Its `timestamp` replaces the record's field of that name. */
const ownColumns = new Set(["timestamp", "other"]);
const noLeaf = -1;

/** How the leaves of records with the same names are arranged in a line. */
interface Layout {
  /** The place of each column's leaf, or `noLeaf`. */
  readonly places: readonly number[];
  /** The places of the leaves that have no column. */
  readonly others: readonly number[];
  /** The last text of each column and its CSV field. The next record usually has the same text. */
  readonly lastTexts: { text: string; field: string }[];
}

/** A CSV of records. Each path is a column, in the order in which the paths first appear. */
export interface CsvTable {
  addColumns(names: readonly string[]): void;
  /** Returns the header after its first column, `timestamp`. Call it after the last `addColumns`. */
  restOfHeader(toTitle: (name: string) => string): string;
  toLine(record: RecordLeaves): string;
}

export function createCsvTable(): CsvTable {
  const columns = new Map<string, number>();
  /** Records of one shape share their names, so most records need no lookup of names. */
  const layouts = new WeakMap<readonly string[], Layout>();
  let lastAdded: readonly string[] | undefined;

  function layOut(names: readonly string[]): Layout {
    const places = Array.from({ length: columns.size }, () => noLeaf);
    const others: number[] = [];
    for (const [place, name] of names.entries()) {
      const column = columns.get(name);
      if (column !== undefined) places[column] = place;
      else if (name !== "timestamp") others.push(place);
    }
    const layout = { places, others, lastTexts: places.map(() => ({ text: "", field: "" })) };
    layouts.set(names, layout);
    return layout;
  }

  return {
    addColumns(names) {
      if (names === lastAdded) return;
      lastAdded = names;
      for (const name of names) {
        const isNew = !ownColumns.has(name) && !columns.has(name);
        if (isNew && columns.size < maxColumns) columns.set(name, columns.size);
      }
    },
    restOfHeader: (toTitle) => `,${toCsvLine([...[...columns.keys()].map(toTitle), "other"])}`,
    toLine({ at, names, values }) {
      const { places, others, lastTexts } = layouts.get(names) ?? layOut(names);
      let line = toTimestamp(at);
      for (let column = 0; column < places.length; column++) {
        const place = places[column] as number;
        if (place === noLeaf) {
          line += ",";
          continue;
        }
        const value = values[place] as Leaf;
        if (typeof value === "string") {
          const last = lastTexts[column] as Layout["lastTexts"][number];
          if (last.text !== value) lastTexts[column] = { text: value, field: toCsvField(value) };
          line += `,${(lastTexts[column] as typeof last).field}`;
        } else {
          line += `,${value}`;
        }
      }
      const rest = others.map((place) => [names[place] as string, values[place]] as const);
      const other = rest.length > 0 ? JSON.stringify(Object.fromEntries(rest)) : "";
      return `${line},${toCsvField(other)}\r\n`;
    },
  };
}
