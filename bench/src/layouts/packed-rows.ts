import type { Database } from "better-sqlite3";
import { createBuckets } from "../buckets.js";
import { createReader } from "../encoding/bytes.js";
import { readNumber } from "../encoding/decimals.js";
import { packRecord, unpackRecord } from "../encoding/packed-record.js";
import { putTogether } from "../encoding/skeleton.js";
import type { Layout, LayoutTables } from "./layout.js";
import { createPlaces, prepareShapes, type Shapes } from "./shapes.js";
import { prepareRemoval, prepareTwinSearch, shortHash } from "./twins.js";

export interface PackedRow {
  readonly at: number;
  readonly shape: number;
  readonly packed: Buffer;
}

/** No text at all: a skeleton shared by all records of a shape, and what stood in its holes. */
export const packedRows: Layout = {
  name: "F packed",
  title: "shape and packed values by arrival (the text is put together again), one index",
  open: openPackedRows,
};

/** The same for E, whose newest records lie so, with what it takes to move them on. */
export function openPackedRows(database: Database): LayoutTables & { readonly shapes: Shapes } {
  database.exec(`
    CREATE TABLE telemetry (
      position INTEGER PRIMARY KEY AUTOINCREMENT,
      device INTEGER NOT NULL,
      at INTEGER NOT NULL,
      received_at INTEGER NOT NULL,
      seq INTEGER,
      content_hash BLOB,
      shape INTEGER NOT NULL,
      packed BLOB NOT NULL
    ) STRICT;
    CREATE INDEX telemetry_by_time ON telemetry (device, at);`);
  const shapes = prepareShapes(database);
  const insert = database.prepare<
    [number, number, number, number | null, Buffer | null, number, Buffer]
  >(
    `INSERT INTO telemetry (device, at, received_at, seq, content_hash, shape, packed)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const list = database.prepare<[number, number, number], PackedRow>(
    `SELECT at, shape, packed FROM telemetry
     WHERE device = ? AND at >= ? AND at < ? ORDER BY at, position`,
  );
  const hasTwin = prepareTwinSearch(database);
  const unpack = ({ shape, packed }: PackedRow) => {
    const { names, ...rest } = shapes.get(shape);
    return { names, ...unpackRecord(packed, names.length), shape: { names, ...rest } };
  };
  const textOf = (row: PackedRow) => {
    const { shape, numbers, strings } = unpack(row);
    return putTogether(shape, numbers, strings);
  };
  return {
    shapes,
    append(records) {
      let stored = 0;
      for (const record of records) {
        if (hasTwin(record)) continue;
        const { device, at, receivedAt, seq, contentHash, value } = record;
        const { shape, numbers, strings } = shapes.takeApart(value);
        const packed = packRecord(numbers, strings);
        insert.run(device, at, receivedAt, seq, shortHash(contentHash), shape, packed);
        stored += 1;
      }
      return stored;
    },
    chart({ device, from, to, metrics, bucketMs }) {
      const buckets = createBuckets(bucketMs, metrics.length);
      const placesOf = createPlaces(shapes, metrics);
      for (const { at, shape, packed } of list.iterate(device, from, to)) {
        const reader = createReader(packed);
        let passed = 0;
        for (const { place, metric } of placesOf(shape)) {
          for (; passed < place; passed++) readNumber(reader);
          buckets.add(at, metric, readNumber(reader));
          passed = place + 1;
        }
      }
      return buckets;
    },
    read(device, at) {
      const row = list.get(device, at, at + 1);
      return row && textOf(row);
    },
    *bodies({ device, from, to }) {
      for (const row of list.iterate(device, from, to)) yield textOf(row);
    },
    *samples({ device, from, to }) {
      for (const row of list.iterate(device, from, to)) {
        const { names, numbers } = unpack(row);
        yield { at: row.at, names, values: numbers };
      }
    },
    removeSome: prepareRemoval(database),
  };
}
