import { type Aggregate, createBuckets } from "../buckets.js";
import type { Rollup } from "./rollup.js";

/** A row for each metric and hour, by device, metric and hour. */
export const metricHours: Rollup = {
  name: "row a metric and hour",
  open(database) {
    database.exec(`
      CREATE TABLE rollup_names (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
      CREATE TABLE metric_hours (
        device INTEGER NOT NULL,
        metric INTEGER NOT NULL,
        hour INTEGER NOT NULL,
        min REAL NOT NULL,
        max REAL NOT NULL,
        sum REAL NOT NULL,
        count INTEGER NOT NULL,
        first REAL NOT NULL,
        last REAL NOT NULL,
        PRIMARY KEY (device, metric, hour)
      ) STRICT, WITHOUT ROWID;`);
    const insertName = database.prepare<[string]>("INSERT INTO rollup_names (name) VALUES (?)");
    // An hour of two shapes meets here. Which part was first is not known: a simplification.
    const insert = database.prepare<number[]>(
      `INSERT INTO metric_hours VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET min = min(min, excluded.min), max = max(max, excluded.max),
         sum = sum + excluded.sum, count = count + excluded.count, last = excluded.last`,
    );
    const list = database.prepare<[number, number, number, number], Aggregate & { hour: number }>(
      `SELECT hour, min, max, sum, count, first, last FROM metric_hours
       WHERE device = ? AND metric = ? AND hour >= ? AND hour < ? ORDER BY hour`,
    );
    const ids = new Map<string, number>();
    const idOf = (name: string) => {
      let id = ids.get(name);
      if (id === undefined) {
        id = Number(insertName.run(name).lastInsertRowid);
        ids.set(name, id);
      }
      return id;
    };
    return {
      put(device, hour, shapes) {
        for (const { names, count, parts } of shapes) {
          for (const [n, { min, max, sum, first, last }] of parts.entries()) {
            const name = names[n];
            if (name) insert.run(device, idOf(name), hour, min, max, sum, count, first, last);
          }
        }
      },
      chart({ device, from, to, metrics, bucketMs }) {
        const buckets = createBuckets(bucketMs, metrics.length);
        for (const [metric, name] of metrics.entries()) {
          for (const part of list.iterate(device, idOf(name), from, to)) {
            buckets.merge(part.hour, metric, part);
          }
        }
        return buckets;
      },
    };
  },
};
