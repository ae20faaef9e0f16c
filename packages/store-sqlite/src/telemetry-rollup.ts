import {
  bucketStart,
  createBucketFolder,
  flattenRecord,
  type JsonObject,
  type MetricBucket,
  type RollUpOutcome,
  type StoredTelemetryRecord,
} from "@device-gateway/core/store";
import type { Database } from "better-sqlite3";
import type { Connection } from "./connection.js";
import { prepareRecordRows } from "./record-rows.js";
import { prepareRollupRows } from "./rollup-rows.js";

export const hourMs = 3_600_000;

/** Records looked at in one step, and hours built in one: neither is a pause that requests feel. */
const stepRecords = 500;
const stepHours = 8;
/** How far ahead of its receipt a record may be measured (contract §4). */
const aheadMs = 300_000;
/** Enough for any hour: a device may send 120 batches of 500 a minute. */
const wholeHour = Number.MAX_SAFE_INTEGER;

interface OpenHour {
  readonly deviceId: string;
  readonly hour: number;
}

/** What the metrics of a record did, for a folder. */
export const metricsOf = ({ body }: StoredTelemetryRecord) =>
  flattenRecord(JSON.parse(body) as JsonObject).unwrapOr([]);

/**
 * Follows the records in the order in which they arrived and notes the hour of each as open; hours
 * that are over are then built anew from all their records. So a late record needs no care of its own.
 */
export function createRollup({ database, write }: Connection) {
  const hours = prepareHours(database);
  const records = prepareRecordRows(database);
  const rollups = prepareRollupRows(database);

  function build({ deviceId, hour }: OpenHour): void {
    // Some of its records may be gone already: what was rolled up of them is not to be lost.
    if (hour < hours.prunedBefore() + aheadMs && rollups.has(deviceId, hour)) {
      hours.close(deviceId, hour);
      return;
    }
    const folder = createBucketFolder(hourMs, () => true);
    const range = { deviceId, from: hour, to: hour + hourMs, receivedFrom: 0 };
    for (const record of records.oldestFirst(range, null, wholeHour)) {
      folder.addSample(record.at, metricsOf(record));
    }
    const buckets: readonly MetricBucket[] = folder.buckets();
    rollups.write(deviceId, hour, buckets);
    hours.close(deviceId, hour);
  }

  return async ({ before, limit }: { before: number; limit: number }): Promise<RollUpOutcome> => {
    // All hours are noted before any is built, or one would be built once for each step of its records.
    if ((await write(() => hours.follow())) === stepRecords) return { built: 0, more: true };
    let built = 0;
    for (;;) {
      const step = Math.min(stepHours, limit - built);
      const done = await write(() => {
        const open = hours.over(before, step);
        for (const hour of open) build(hour);
        return open.length;
      });
      built += done;
      if (done < step || built >= limit) return { built, more: built >= limit };
      // A commit is no pause for others by itself.
      await new Promise(setImmediate);
    }
  };
}

function prepareHours(database: Database) {
  const watermark = database
    .prepare<[], number>("SELECT position FROM telemetry_watermark")
    .pluck();
  const prunedBefore = database
    .prepare<[], number>("SELECT pruned_before FROM telemetry_watermark")
    .pluck();
  const next = database.prepare<
    [number, number],
    { position: number; deviceId: string; at: number }
  >(
    `SELECT position, device_id AS deviceId, at FROM telemetry
     WHERE position > ? ORDER BY position LIMIT ?`,
  );
  const move = database.prepare<[number]>("UPDATE telemetry_watermark SET position = ?");
  const open = database.prepare<[string, number]>(
    "INSERT OR IGNORE INTO telemetry_open_hours (device_id, hour) VALUES (?, ?)",
  );
  const close = database.prepare<[string, number]>(
    "DELETE FROM telemetry_open_hours WHERE device_id = ? AND hour = ?",
  );
  const over = database.prepare<[number, number], OpenHour>(
    `SELECT device_id AS deviceId, hour FROM telemetry_open_hours
     WHERE hour <= ? ORDER BY hour LIMIT ?`,
  );
  return {
    /** Notes the hours of the next records as open; says how many records. */
    follow(): number {
      const rows = next.all(watermark.get() ?? 0, stepRecords);
      for (const { deviceId, at } of rows) open.run(deviceId, bucketStart(at, hourMs));
      const last = rows.at(-1);
      if (last !== undefined) move.run(last.position);
      return rows.length;
    },
    /** Records received before this time may be gone. */
    prunedBefore: () => prunedBefore.get() ?? 0,
    over: (before: number, limit: number) => over.all(before - hourMs, limit),
    close: (deviceId: string, hour: number) => close.run(deviceId, hour),
  };
}
