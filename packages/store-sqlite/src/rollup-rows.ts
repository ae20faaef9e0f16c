import type { MetricBucket } from "@device-gateway/core/store";
import type { Database } from "better-sqlite3";

type Packed = Record<string, [number, number, number, number, number, number]>;

/** The hours of a device that are rolled up: a row each, which holds every metric. */
export interface RollupRows {
  /** Replaces what was rolled up of an hour. */
  write(deviceId: string, hour: number, buckets: readonly MetricBucket[]): void;
  has(deviceId: string, hour: number): boolean;
  /** Deletes the oldest hours that began before a time; says how many. */
  prune(before: number, limit: number): number;
  /** Buckets of an hour each, of the hours from `from` to before `to`, in the order of time. */
  read(deviceId: string, from: number, to: number): Generator<MetricBucket>;
}

export function prepareRollupRows(database: Database): RollupRows {
  const replace = database.prepare<[string, number, string]>(
    "INSERT OR REPLACE INTO telemetry_rollups (device_id, hour, metrics) VALUES (?, ?, ?)",
  );
  const select = database.prepare<[string, number, number], { hour: number; metrics: string }>(
    `SELECT hour, metrics FROM telemetry_rollups
     WHERE device_id = ? AND hour >= ? AND hour < ? ORDER BY hour`,
  );
  const find = database.prepare<[string, number]>(
    "SELECT 1 FROM telemetry_rollups WHERE device_id = ? AND hour = ?",
  );
  const prune = database.prepare<[number, number]>(
    `DELETE FROM telemetry_rollups WHERE (device_id, hour) IN
       (SELECT device_id, hour FROM telemetry_rollups WHERE hour < ? ORDER BY hour LIMIT ?)`,
  );
  return {
    has: (deviceId, hour) => find.get(deviceId, hour) !== undefined,
    prune: (before, limit) => prune.run(before, limit).changes,
    write(deviceId, hour, buckets) {
      const packed: [string, Packed[string]][] = buckets.map(
        ({ name, min, max, sum, count, first, last }) => [
          name,
          [min, max, sum, count, first, last],
        ],
      );
      replace.run(deviceId, hour, JSON.stringify(Object.fromEntries(packed)));
    },
    *read(deviceId, from, to) {
      for (const { hour, metrics } of select.all(deviceId, from, to)) {
        for (const [name, values] of Object.entries(JSON.parse(metrics) as Packed)) {
          const [min, max, sum, count, first, last] = values;
          yield { start: hour, name, min, max, sum, count, first, last };
        }
      }
    },
  };
}
