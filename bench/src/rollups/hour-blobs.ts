import { createBuckets } from "../buckets.js";
import { createReader, createWriter, type Reader } from "../encoding/bytes.js";
import { readNumber, writeNumber } from "../encoding/decimals.js";
import type { HourPart, Rollup } from "./rollup.js";
import { prepareRollupNames } from "./rollup-names.js";

const writer = createWriter(2_048);
/** Says instead of a metric's five numbers that it did not change: the minimum and sum suffice. */
const still = 0;
const moving = 1;

function packParts(parts: readonly HourPart[]): Buffer {
  for (const { min, max, sum, first, last } of parts) {
    writer.byte(min === max ? still : moving);
    writeNumber(writer, min);
    writeNumber(writer, sum);
    if (min === max) continue;
    for (const value of [max, first, last]) writeNumber(writer, value);
  }
  return writer.take();
}

export function readPart(reader: Reader): HourPart {
  const mark = reader.byte();
  const min = readNumber(reader);
  const sum = readNumber(reader);
  if (mark === still) return { min, max: min, sum, first: min, last: min };
  return {
    min,
    sum,
    max: readNumber(reader),
    first: readNumber(reader),
    last: readNumber(reader),
  };
}

/** A row for each device, hour and list of names, side by side in time. */
export const hourBlobs: Rollup = {
  name: "blob an hour",
  open(database) {
    database.exec(`
      CREATE TABLE hours (
        device INTEGER NOT NULL,
        hour INTEGER NOT NULL,
        names INTEGER NOT NULL,
        count INTEGER NOT NULL,
        parts BLOB NOT NULL,
        PRIMARY KEY (device, hour, names)
      ) STRICT, WITHOUT ROWID;`);
    const lists = prepareRollupNames(database);
    const insert = database.prepare<[number, number, number, number, Buffer]>(
      "INSERT OR REPLACE INTO hours VALUES (?, ?, ?, ?, ?)",
    );
    const list = database.prepare<
      [number, number, number],
      { hour: number; names: number; count: number; parts: Buffer }
    >(
      `SELECT hour, names, count, parts FROM hours
       WHERE device = ? AND hour >= ? AND hour < ? ORDER BY hour, names`,
    );
    return {
      put(device, hour, shapes) {
        for (const { names, count, parts } of shapes) {
          insert.run(device, hour, lists.idOf(names), count, packParts(parts));
        }
      },
      chart({ device, from, to, metrics, bucketMs }) {
        const buckets = createBuckets(bucketMs, metrics.length);
        const placesOf = lists.places(metrics);
        for (const { hour, names, count, parts } of list.iterate(device, from, to)) {
          const reader = createReader(parts);
          let passed = 0;
          for (const { place, metric } of placesOf(names)) {
            for (; passed < place; passed++) readPart(reader);
            buckets.merge(hour, metric, { ...readPart(reader), count });
            passed = place + 1;
          }
        }
        return buckets;
      },
    };
  },
};
