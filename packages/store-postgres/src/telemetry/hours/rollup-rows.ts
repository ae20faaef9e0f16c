import {
  type MetricBucket,
  packBuckets,
  type RowContent,
  toHourText,
} from "@device-gateway/core/store";
import { type Session, statement } from "../../database/statement.js";
import { cutPage, type PageRow } from "../cut-page.js";

interface HourRow extends RowContent {
  readonly device: number;
  readonly hour: number;
}

/** An hour of a device: open (`isOpen`) or rolled up. An hour can be both and then has two rows. */
export interface FoundHour extends RowContent, Pick<PageRow, "hasNext"> {
  readonly hour: number;
  readonly isOpen: boolean;
}

const replace = statement<HourRow, object>(
  `INSERT INTO device_gateway.telemetry_rollups (device, hour, shape, content)
   VALUES (@device, @hour, @shape, @content)
   ON CONFLICT (device, hour) DO UPDATE SET shape = excluded.shape, content = excluded.content`,
);
// The row of an open hour comes first, so that a page that ends between the two rows has the one that counts.
const select = statement<{ device: number; from: number; to: number }, FoundHour>(
  `SELECT hour, shape, content, "isOpen", "hasNext" FROM (${cutPage({
    query: `SELECT hour, NULL AS shape, ''::bytea AS content, true AS "isOpen"
      FROM device_gateway.telemetry_open_hours
      WHERE device = @device AND hour >= @from AND hour < @to
      UNION ALL
      SELECT hour, shape, content, false FROM device_gateway.telemetry_rollups
      WHERE device = @device AND hour >= @from AND hour < @to`,
    order: `hour, "isOpen" DESC`,
  })}) AS page
   ORDER BY hour, "isOpen" DESC`,
);
const selectHours = statement<
  { device: number; from: number; to: number; limit: number },
  { hour: number }
>(
  `SELECT hour FROM device_gateway.telemetry_rollups
   WHERE device = @device AND hour >= @from AND hour < @to ORDER BY hour LIMIT @limit`,
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
 * from one snapshot. The page ends early if they are large. The rest begins with the next hour.
 */
export const findHours = select;

/**
 * Returns up to `limit` rolled-up hours of a device from `from` (inclusive) to `to` (exclusive), in
 * order of time.
 */
export async function rolledUpHours(
  session: Session,
  range: { device: number; from: number; to: number; limit: number },
): Promise<number[]> {
  return (await selectHours(session, range)).map(({ hour }) => hour);
}
