import { createBuckets } from "../buckets.js";
import type { JsonObject } from "../record.js";
import { flattenRecord, metricFinder } from "../record.js";
import type { Layout } from "./layout.js";
import { prepareRemoval, prepareTwinSearch, shortHash } from "./twins.js";

/** A with a number for the device, one index, and duplicates looked up in it. */
export const leanTextRows: Layout = {
  name: "A2 lean text",
  title: "JSON text by arrival, device as a number, one index",
  open(database) {
    database.exec(`
      CREATE TABLE telemetry (
        position INTEGER PRIMARY KEY AUTOINCREMENT,
        device INTEGER NOT NULL,
        at INTEGER NOT NULL,
        received_at INTEGER NOT NULL,
        seq INTEGER,
        content_hash BLOB,
        body TEXT NOT NULL
      ) STRICT;
      CREATE INDEX telemetry_by_time ON telemetry (device, at);`);
    const insert = database.prepare<[number, number, number, number | null, Buffer | null, string]>(
      `INSERT INTO telemetry (device, at, received_at, seq, content_hash, body)
       VALUES (?, ?, ?, ?, ?, ?)`,
    );
    const list = database.prepare<[number, number, number], { at: number; body: string }>(
      `SELECT at, body FROM telemetry WHERE device = ? AND at >= ? AND at < ? ORDER BY at, position`,
    );
    const one = database
      .prepare<[number, number], string>("SELECT body FROM telemetry WHERE device = ? AND at = ?")
      .pluck();
    const hasTwin = prepareTwinSearch(database);
    return {
      append(records) {
        let stored = 0;
        for (const record of records) {
          if (hasTwin(record)) continue;
          const { device, at, receivedAt, seq, contentHash, value } = record;
          const hash = shortHash(contentHash);
          stored += insert.run(device, at, receivedAt, seq, hash, JSON.stringify(value)).changes;
        }
        return stored;
      },
      chart({ device, from, to, metrics, bucketMs }) {
        const buckets = createBuckets(bucketMs, metrics.length);
        const finders = metrics.map(metricFinder);
        for (const { at, body } of list.iterate(device, from, to)) {
          const record = JSON.parse(body) as JsonObject;
          for (const [metric, find] of finders.entries()) {
            const value = find(record);
            if (value !== undefined) buckets.add(at, metric, value);
          }
        }
        return buckets;
      },
      read: (device, at) => one.get(device, at),
      *bodies({ device, from, to }) {
        for (const { body } of list.iterate(device, from, to)) yield body;
      },
      *samples({ device, from, to }) {
        for (const { at, body } of list.iterate(device, from, to)) {
          const metrics = flattenRecord(JSON.parse(body) as JsonObject);
          yield {
            at,
            names: metrics.map(({ name }) => name),
            values: metrics.map(({ value }) => value),
          };
        }
      },
      removeSome: prepareRemoval(database),
    };
  },
};
