import {
  fromHourText,
  type MetricBucket,
  packBuckets,
  type RowContent,
  toHourText,
  unpackBuckets,
} from "@device-gateway/core/store";
import { type Session, statement } from "../database/statement.js";
import { type HourNames, shapeOf } from "./shapes/shape-rows.js";

interface HourRow extends RowContent {
  readonly device: number;
  readonly hour: number;
}

/** An hour of a device: open (`isOpen`) or rolled up. An hour can be both and then has two rows. */
export interface FoundHour extends RowContent {
  readonly hour: number;
  readonly isOpen: boolean;
}

const replace = statement<HourRow, object>(
  `INSERT INTO device_gateway.telemetry_rollups (device, hour, shape, content)
   VALUES (@device, @hour, @shape, @content)
   ON CONFLICT (device, hour) DO UPDATE SET shape = excluded.shape, content = excluded.content`,
);
const select = statement<{ device: number; from: number; to: number }, FoundHour>(
  `SELECT hour, NULL AS shape, ''::bytea AS content, true AS "isOpen"
   FROM device_gateway.telemetry_open_hours WHERE device = @device AND hour >= @from AND hour < @to
   UNION ALL
   SELECT hour, shape, content, false FROM device_gateway.telemetry_rollups
   WHERE device = @device AND hour >= @from AND hour < @to
   ORDER BY hour`,
);
const find = statement<{ device: number; hour: number }, object>(
  "SELECT FROM device_gateway.telemetry_rollups WHERE device = @device AND hour = @hour",
);

/**
 * Replaces the roll-up of an hour. `shape` is that of its metric names, or null to store JSON text.
 */
export async function writeHour(
  session: Session,
  place: { readonly device: number; readonly hour: number },
  shape: number | null,
  buckets: readonly MetricBucket[],
): Promise<void> {
  const { content } =
    shape === null ? toHourText(buckets) : { content: packBuckets(buckets).packed };
  await replace(session, { ...place, shape, content });
}

export async function hasHour(
  session: Session,
  place: { device: number; hour: number },
): Promise<boolean> {
  return (await find(session, place)).length > 0;
}

/**
 * Returns the open and rolled-up hours of a device from `from` (inclusive) to `to` (exclusive),
 * from one snapshot.
 */
export const findHours = select;

/** Returns the wanted buckets of a rolled-up hour. */
export const bucketsOf = (
  names: ReadonlyMap<number, HourNames>,
  row: FoundHour,
  isWanted: (name: string) => boolean,
): MetricBucket[] =>
  row.shape === null
    ? fromHourText(row, row.hour).filter(({ name }) => isWanted(name))
    : unpackBuckets(shapeOf(names, row.shape), row.content, row.hour, isWanted);
