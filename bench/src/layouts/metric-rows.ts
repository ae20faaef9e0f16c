import { createBuckets } from "../buckets.js";
import type { Layout, Sample } from "./layout.js";
import { leanTextRows } from "./lean-text-rows.js";

interface Part {
  readonly start: number;
  readonly min: number;
  readonly max: number;
  readonly sum: number;
  readonly count: number;
  readonly first: number;
  readonly last: number;
}

/** The naive time series: A2 for the text, and a row for each metric of each record. */
export const metricRows: Layout = {
  name: "D row a metric",
  title: "JSON text by arrival, and one row a metric by device, metric, time",
  open(database) {
    const text = leanTextRows.open(database);
    database.exec(`
      CREATE TABLE metric_names (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
      CREATE TABLE metrics (
        device INTEGER NOT NULL,
        metric INTEGER NOT NULL,
        at INTEGER NOT NULL,
        value REAL NOT NULL,
        PRIMARY KEY (device, metric, at)
      ) STRICT, WITHOUT ROWID;`);
    const insertName = database.prepare<[string]>("INSERT INTO metric_names (name) VALUES (?)");
    const insert = database.prepare<[number, number, number, number]>(
      "INSERT OR REPLACE INTO metrics VALUES (?, ?, ?, ?)",
    );
    // First and last would take a second look: left out, in this layout's favour.
    const aggregate = database.prepare<[number, number, number, number, number], Part>(
      `SELECT at - at % ? AS start, min(value) AS min, max(value) AS max, sum(value) AS sum,
         count(*) AS count, 0 AS first, 0 AS last
       FROM metrics WHERE device = ? AND metric = ? AND at >= ? AND at < ? GROUP BY 1`,
    );
    const remove = database.prepare<[number, number, number]>(
      `DELETE FROM metrics WHERE (device, metric, at) IN
         (SELECT device, metric, at FROM metrics
          WHERE device = ? AND metric BETWEEN 1 AND ? AND at < ? LIMIT 5000)`,
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
    const devices = new Set<number>();
    return {
      append(records) {
        const stored = text.append(records);
        for (const { device, at, metrics } of records) {
          devices.add(device);
          for (const metric of metrics) {
            insert.run(device, idOf(metric.name), at, metric.value);
          }
        }
        return stored;
      },
      chart({ device, from, to, metrics, bucketMs }) {
        const buckets = createBuckets(bucketMs, metrics.length);
        for (const [metric, name] of metrics.entries()) {
          for (const part of aggregate.iterate(bucketMs, device, idOf(name), from, to)) {
            buckets.merge(part.start, metric, part);
          }
        }
        return buckets;
      },
      read: text.read,
      bodies: text.bodies,
      samples: (span): Iterable<Sample> => text.samples(span),
      removeSome(before, limit) {
        const removed = text.removeSome(before, Math.ceil(limit / 70));
        const [device] = devices;
        if (removed > 0 || device === undefined) return removed;
        const { changes } = remove.run(device, ids.size, before);
        if (changes === 0) devices.delete(device);
        return Math.max(1, changes);
      },
    };
  },
};
