import {
  hourMs,
  type MetricBucket,
  packBuckets,
  type RowContent,
  toHourText,
} from "@device-gateway/core/store";
import type { Database } from "../../database/database.js";
import { takePage } from "../row-page.js";
import type { ShapeRows } from "../shapes/shape-rows.js";

/** A row of a rolled-up hour. `names` is null if the content is JSON text. */
export interface HourRow {
  readonly hour: number;
  readonly names: readonly string[] | null;
  readonly content: Uint8Array;
}

/** The rolled-up hours of the first part of a range, in order of time. */
export interface HourPage {
  readonly rows: readonly HourRow[];
  /** The end of that part. It is before the end of the range if the rows are large. */
  readonly end: number;
}

/** The rolled-up hours of devices. A row holds every metric of one hour. */
export interface RollupRows {
  /** Replaces the roll-up of an hour. */
  write(device: number, hour: number, buckets: readonly MetricBucket[]): void;
  has(device: number, hour: number): boolean;
  /** Reads a page of the hours from `from` (inclusive) to `to` (exclusive). */
  read(device: number, from: number, to: number): HourPage;
  /** Returns up to `limit` starts of the rolled-up hours from `from` to `to` (exclusive), ascending. */
  hours(device: number, from: number, to: number, limit: number): number[];
}

export function prepareRollupRows(database: Database, shapes: ShapeRows): RollupRows {
  const replace = database.prepare<[number, number, number | null, Uint8Array]>(
    "INSERT OR REPLACE INTO telemetry_rollups (device, hour, shape, content) VALUES (?, ?, ?, ?)",
  );
  const select = database.prepare<[number, number, number], RowContent & { hour: number }>(
    `SELECT hour, shape, content FROM telemetry_rollups
     WHERE device = ? AND hour >= ? AND hour < ? ORDER BY hour`,
  );
  const selectHours = database
    .prepare<[number, number, number, number], number>(
      `SELECT hour FROM telemetry_rollups WHERE device = ? AND hour >= ? AND hour < ?
       ORDER BY hour LIMIT ?`,
    )
    .pluck();
  const find = database.prepare<[number, number]>(
    "SELECT 1 FROM telemetry_rollups WHERE device = ? AND hour = ?",
  );
  return {
    has: (device, hour) => find.get(device, hour) !== undefined,
    write(device, hour, buckets) {
      const { skeleton, packed } = packBuckets(buckets);
      const shape = shapes.hourShape(device, hour, skeleton);
      const { content } = shape === null ? toHourText(buckets) : { content: packed };
      replace.run(device, hour, shape, content);
    },
    hours: (device, from, to, limit) => selectHours.all(device, from, to, limit),
    read(device, from, to) {
      const { rows, isCut } = takePage(select.iterate(device, from, to));
      const last = rows.at(-1);
      return {
        rows: rows.map(({ hour, shape, content }) => ({
          hour,
          names: shape === null ? null : shapes.hourNames(shape),
          content,
        })),
        end: isCut && last !== undefined ? last.hour + hourMs : to,
      };
    },
  };
}
