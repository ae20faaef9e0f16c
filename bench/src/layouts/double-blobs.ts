import type { Database } from "better-sqlite3";
import { type Buckets, createBuckets } from "../buckets.js";
import type { Metric } from "../record.js";
import type { ChartQuery, Sample } from "./layout.js";

/** A record's metrics as one blob of doubles, and the number of the list of their names. */
export interface DoubleRow {
  readonly at: number;
  readonly shape: number;
  readonly metrics: Buffer;
}

/** Lists of names, each stored once. */
export function prepareNameLists(database: Database) {
  database.exec(
    "CREATE TABLE name_lists (id INTEGER PRIMARY KEY, names TEXT NOT NULL UNIQUE) STRICT",
  );
  const insert = database.prepare<[string]>("INSERT INTO name_lists (names) VALUES (?)");
  const ids = new Map<string, number>();
  const lists = new Map<number, readonly string[]>();
  let recent: number[] = [];

  /** Mostly one of the lists that came last. */
  function idOf(metrics: readonly Metric[]): number {
    for (const id of recent) {
      const names = lists.get(id) ?? [];
      if (names.length === metrics.length && metrics.every(({ name }, n) => name === names[n]))
        return id;
    }
    const names = metrics.map(({ name }) => name);
    const key = names.join("\n");
    const id = ids.get(key) ?? Number(insert.run(key).lastInsertRowid);
    ids.set(key, id);
    lists.set(id, names);
    recent = [id, ...recent].slice(0, 16);
    return id;
  }

  return {
    names: (id: number): readonly string[] => lists.get(id) ?? [],
    pack(metrics: readonly Metric[]): { shape: number; metrics: Buffer } {
      const doubles = Float64Array.from(metrics, ({ value }) => value);
      return { shape: idOf(metrics), metrics: Buffer.from(doubles.buffer) };
    },
  };
}

export function chartDoubles(
  rows: Iterable<DoubleRow>,
  names: (shape: number) => readonly string[],
  { metrics, bucketMs }: ChartQuery,
): Buckets {
  const buckets = createBuckets(bucketMs, metrics.length);
  const places = new Map<number, readonly number[]>();
  for (const { at, shape, metrics: blob } of rows) {
    let wanted = places.get(shape);
    if (wanted === undefined) {
      const list = names(shape);
      wanted = metrics.map((name) => list.indexOf(name));
      places.set(shape, wanted);
    }
    for (let n = 0; n < wanted.length; n++) {
      const place = wanted[n] as number;
      if (place >= 0) buckets.add(at, n, blob.readDoubleLE(8 * place));
    }
  }
  return buckets;
}

export function* sampleDoubles(
  rows: Iterable<DoubleRow>,
  names: (shape: number) => readonly string[],
): Iterable<Sample> {
  for (const { at, shape, metrics } of rows) {
    const list = names(shape);
    yield { at, names: list, values: list.map((_, n) => metrics.readDoubleLE(8 * n)) };
  }
}
