import { createBuckets } from "../buckets.js";
import type { JsonObject } from "../record.js";
import { flattenRecord, metricFinder } from "../record.js";
import { deviceIdOf, type Layout } from "./layout.js";

/** What the store has today: the text in arrival order, three indexes with the device's id. */
export const textRows: Layout = {
  name: "A text",
  title: "JSON text by arrival, three indexes on the device's id (today's)",
  open(database) {
    database.exec(`
      CREATE TABLE telemetry (
        position INTEGER PRIMARY KEY AUTOINCREMENT,
        device_id TEXT NOT NULL,
        at INTEGER NOT NULL,
        received_at INTEGER NOT NULL,
        seq INTEGER,
        content_hash TEXT,
        body TEXT NOT NULL
      ) STRICT;
      CREATE INDEX telemetry_by_device ON telemetry (device_id, position);
      CREATE INDEX telemetry_by_time ON telemetry (device_id, at);
      CREATE UNIQUE INDEX telemetry_identity
      ON telemetry (device_id, at, content_hash, ifnull(seq, 'none'))
      WHERE content_hash IS NOT NULL;`);
    const insert = database.prepare<[string, number, number, number | null, string | null, string]>(
      `INSERT INTO telemetry (device_id, at, received_at, seq, content_hash, body)
       VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    );
    const list = database.prepare<[string, number, number], { at: number; body: string }>(
      `SELECT at, body FROM telemetry WHERE device_id = ? AND at >= ? AND at < ? ORDER BY at, position`,
    );
    const one = database
      .prepare<[string, number], string>(
        "SELECT body FROM telemetry WHERE device_id = ? AND at = ?",
      )
      .pluck();
    const remove = database.prepare<[number, number]>(
      `DELETE FROM telemetry WHERE position IN
         (SELECT position FROM telemetry ORDER BY position LIMIT ?) AND received_at < ?`,
    );
    return {
      append(records) {
        let stored = 0;
        for (const { device, at, receivedAt, seq, contentHash, value } of records) {
          const body = JSON.stringify(value);
          stored += insert.run(deviceIdOf(device), at, receivedAt, seq, contentHash, body).changes;
        }
        return stored;
      },
      chart({ device, from, to, metrics, bucketMs }) {
        const buckets = createBuckets(bucketMs, metrics.length);
        const finders = metrics.map(metricFinder);
        for (const { at, body } of list.iterate(deviceIdOf(device), from, to)) {
          const record = JSON.parse(body) as JsonObject;
          for (const [metric, find] of finders.entries()) {
            const value = find(record);
            if (value !== undefined) buckets.add(at, metric, value);
          }
        }
        return buckets;
      },
      read: (device, at) => one.get(deviceIdOf(device), at),
      *bodies({ device, from, to }) {
        for (const { body } of list.iterate(deviceIdOf(device), from, to)) yield body;
      },
      *samples({ device, from, to }) {
        for (const { at, body } of list.iterate(deviceIdOf(device), from, to)) {
          const metrics = flattenRecord(JSON.parse(body) as JsonObject);
          yield {
            at,
            names: metrics.map(({ name }) => name),
            values: metrics.map(({ value }) => value),
          };
        }
      },
      removeSome: (before, limit) => remove.run(limit, before).changes,
    };
  },
};
