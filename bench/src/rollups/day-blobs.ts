import { createBuckets } from "../buckets.js";
import { createReader } from "../encoding/bytes.js";
import { packColumns, unpackColumns } from "../encoding/columns.js";
import { dayMs } from "../fleet.js";
import { hourBlobs, readPart } from "./hour-blobs.js";
import type { Rollup } from "./rollup.js";
import { prepareRollupNames } from "./rollup-names.js";

/** The columns before those of the metrics: hour and count. */
const headColumns = 2;
/** A metric's columns: min, max, sum, first, last. */
const each = 5;

/** Hours as blobs while their day lasts; then a row a day, whose columns run over its hours. */
export const dayBlobs: Rollup = {
  name: "columns a day",
  open(database) {
    const young = hourBlobs.open(database);
    const lists = prepareRollupNames(database);
    database.exec(`
      CREATE TABLE days (
        id INTEGER PRIMARY KEY,
        device INTEGER NOT NULL,
        day INTEGER NOT NULL,
        names INTEGER NOT NULL,
        columns BLOB NOT NULL
      ) STRICT;
      CREATE UNIQUE INDEX days_by_device ON days (device, day, names);`);
    const hours = database.prepare<
      [number, number, number],
      { hour: number; names: number; count: number; parts: Buffer }
    >("SELECT hour, names, count, parts FROM hours WHERE device = ? AND hour >= ? AND hour < ?");
    const drop = database.prepare<[number, number, number]>(
      "DELETE FROM hours WHERE device = ? AND hour >= ? AND hour < ?",
    );
    const insert = database.prepare<[number, number, number, Buffer]>(
      "INSERT INTO days (device, day, names, columns) VALUES (?, ?, ?, ?)",
    );
    const list = database.prepare<
      [number, number, number],
      { day: number; names: number; columns: Buffer }
    >(
      `SELECT day, names, columns FROM days
       WHERE device = ? AND day > ? AND day < ? ORDER BY day, names`,
    );
    return {
      put(device, hour, shapes) {
        for (const { names } of shapes) lists.idOf(names);
        young.put(device, hour, shapes);
      },
      closeDay(device, day) {
        const groups = new Map<number, number[][]>();
        for (const { hour, names, count, parts } of hours.iterate(device, day, day + dayMs)) {
          const width = lists.get(names).length;
          const columns =
            groups.get(names) ?? Array.from({ length: headColumns + each * width }, () => []);
          groups.set(names, columns);
          const reader = createReader(parts);
          const row = [hour, count];
          for (let n = 0; n < width; n++) {
            const { min, max, sum, first, last } = readPart(reader);
            row.push(min, max, sum, first, last);
          }
          for (const [n, value] of row.entries()) columns[n]?.push(value);
        }
        for (const [names, columns] of groups) insert.run(device, day, names, packColumns(columns));
        drop.run(device, day, day + dayMs);
      },
      chart(query) {
        const { device, from, to, metrics, bucketMs } = query;
        const buckets = createBuckets(bucketMs, metrics.length);
        const placesOf = lists.places(metrics);
        for (const { names, columns } of list.iterate(device, from - dayMs, to)) {
          const wanted = placesOf(names);
          const places = wanted.flatMap(({ place }) =>
            Array.from({ length: each }, (_, n) => headColumns + each * place + n),
          );
          const [starts, counts, ...values] = unpackColumns(columns, [0, 1, ...places]);
          for (const [n, { metric }] of wanted.entries()) {
            const [min, max, sum, first, last] = values.slice(each * n, each * n + each);
            for (const [row, hour] of (starts ?? []).entries()) {
              if (hour < from || hour >= to) continue;
              buckets.merge(hour, metric, {
                min: min?.[row] as number,
                max: max?.[row] as number,
                sum: sum?.[row] as number,
                count: counts?.[row] as number,
                first: first?.[row] as number,
                last: last?.[row] as number,
              });
            }
          }
        }
        for (const { start, metrics: parts } of young.chart(query).points()) {
          for (const [metric, part] of parts.entries()) {
            if (part) buckets.merge(start, metric, part);
          }
        }
        return buckets;
      },
    };
  },
};
