import { type MetricBucket, packBuckets, unpackBuckets } from "@device-gateway/core/store";
import type { Database } from "better-sqlite3";
import { type Content, type ShapeRows, textOf, toText } from "./shape-rows.js";

/**
 * A roll-up of a metric as JSON. `rest` is the rounding error of the sum; hours of version 1 lack
 * it.
 */
type Numbers = [min: number, max: number, sum: number, count: number, first: number, last: number];
/** A metric with one sample is stored as that number alone. */
type HourText = Record<string, number | [...Numbers, rest?: number]>;

/** A row of a rolled-up hour. `names` is null if the content is JSON text. */
export interface HourRow {
  readonly hour: number;
  readonly names: readonly string[] | null;
  readonly content: Uint8Array;
}

/** Returns the wanted buckets of an hour. */
export const bucketsOf = (
  { hour, names, content }: HourRow,
  isWanted: (name: string) => boolean,
): MetricBucket[] =>
  names === null
    ? readHourText({ shape: null, content }, hour).filter(({ name }) => isWanted(name))
    : unpackBuckets(names, content, hour, isWanted);

/** The rolled-up hours of devices. A row holds every metric of one hour. */
export interface RollupRows {
  /** Replaces the roll-up of an hour. */
  write(device: number, hour: number, buckets: readonly MetricBucket[]): void;
  has(device: number, hour: number): boolean;
  /** Returns the hours from `from` (inclusive) to `to` (exclusive), in order of time. */
  read(device: number, from: number, to: number): HourRow[];
  /** Returns the starts of the rolled-up hours from `from` (inclusive) to `to` (exclusive). */
  hours(device: number, from: number, to: number): number[];
}

const singleSample = (value: number): Numbers => [value, value, value, 1, value, value];

function toHourText(buckets: readonly MetricBucket[]): Content {
  const metrics = buckets.map(
    ({ name, min, max, sum, rest, count, first, last }) =>
      [name, count === 1 ? first : [min, max, sum, count, first, last, rest]] as const,
  );
  return toText(Object.fromEntries(metrics));
}

const readHourText = (content: Content, start: number): MetricBucket[] =>
  Object.entries(textOf(content) as HourText).map(([name, numbers]) => {
    const all: [...Numbers, rest?: number] =
      typeof numbers === "number" ? singleSample(numbers) : numbers;
    const [min, max, sum, count, first, last, rest = 0] = all;
    return { start, name, min, max, sum, rest, count, first, last };
  });

export function prepareRollupRows(database: Database, shapes: ShapeRows): RollupRows {
  const replace = database.prepare<[number, number, number | null, Uint8Array]>(
    "INSERT OR REPLACE INTO telemetry_rollups (device, hour, shape, content) VALUES (?, ?, ?, ?)",
  );
  const select = database.prepare<[number, number, number], Content & { hour: number }>(
    `SELECT hour, shape, content FROM telemetry_rollups
     WHERE device = ? AND hour >= ? AND hour < ? ORDER BY hour`,
  );
  const selectHours = database
    .prepare<[number, number, number], number>(
      "SELECT hour FROM telemetry_rollups WHERE device = ? AND hour >= ? AND hour < ?",
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
    hours: (device, from, to) => selectHours.all(device, from, to),
    read: (device, from, to) =>
      select.all(device, from, to).map(({ hour, shape, content }) => ({
        hour,
        names: shape === null ? null : shapes.hourNames(shape),
        content,
      })),
  };
}
