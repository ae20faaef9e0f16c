import { bucketStart, type DeviceHour, hourMs, recordAheadMs } from "@device-gateway/core/store";
import { type Session, statement } from "../../database/statement.js";

/** A range of a device's hours, from `from` (inclusive) to `to` (exclusive). */
interface HourRange {
  readonly device: number;
  readonly from: number;
  readonly to: number;
}

interface RecordedHour {
  readonly hour: number;
  readonly count: number;
}

const open = statement<{ device: number; hours: readonly number[] }, object>(
  `INSERT INTO device_gateway.telemetry_open_hours (device, hour)
   SELECT @device::integer, unnest(@hours::bigint[]) ON CONFLICT DO NOTHING`,
);
const close = statement<DeviceHour, object>(
  `DELETE FROM device_gateway.telemetry_open_hours WHERE device = @device AND hour = @hour
   RETURNING hour`,
);
const ended = statement<{ latest: number; limit: number }, DeviceHour>(
  `SELECT device, hour FROM device_gateway.telemetry_open_hours
   WHERE hour <= @latest AND device NOT IN (SELECT device FROM device_gateway.telemetry_erased)
   ORDER BY hour LIMIT @limit`,
);
const readMark = statement<object, { prunedBefore: number }>(
  `SELECT pruned_before AS "prunedBefore" FROM device_gateway.telemetry_marks`,
);
const first = statement<{ device: number; from: number }, { hour: number | null }>(
  `SELECT least(
     (SELECT min(hour) FROM device_gateway.telemetry_rollups
      WHERE device = @device AND hour >= @from),
     (SELECT min(hour) FROM device_gateway.telemetry_open_hours
      WHERE device = @device AND hour >= @from)) AS hour`,
);
const firstByHour = statement<HourRange & { limit: number }, RecordedHour>(
  `SELECT at - mod(mod(at, ${hourMs}) + ${hourMs}, ${hourMs}) AS hour, count(*) AS count
   FROM (
     SELECT at FROM device_gateway.telemetry WHERE device = @device AND at >= @from AND at < @to
     ORDER BY at LIMIT @limit
   ) AS r
   GROUP BY 1`,
);
const newer = statement<DeviceHour & { end: number; position: number }, object>(
  `SELECT FROM device_gateway.telemetry
   WHERE device = @device AND at >= @hour AND at < @end AND position > @position LIMIT 1`,
);

/** Opens hours. Appending records opens their hours automatically. */
export async function openHours(
  session: Session,
  device: number,
  hours: readonly number[],
): Promise<void> {
  await open(session, { device, hours });
}

/** Closes an open hour. Returns false if it was closed or its device erased meanwhile. */
export async function closeHour(session: Session, hour: DeviceHour): Promise<boolean> {
  return (await close(session, hour)).length > 0;
}

/** Returns open hours that ended before `before`, without those of erased devices. */
export const endedHours = (
  session: Session,
  before: number,
  limit: number,
): Promise<readonly DeviceHour[]> => ended(session, { latest: before - hourMs, limit });

/** Returns the time before which hours may lack pruned records. */
export async function firstWholeHour(session: Session): Promise<number> {
  const [mark] = await readMark(session, {});
  return (mark?.prunedBefore ?? 0) + recordAheadMs;
}

/** Returns the first hour from `from` on that is rolled up or open. */
export async function firstHourFrom(
  session: Session,
  device: number,
  from: number,
): Promise<number | undefined> {
  const [row] = await first(session, { device, from });
  return row?.hour ?? undefined;
}

/** Returns the hours of the first `limit` records of a range, and how many of those each has. */
export async function countByHour(
  session: Session,
  range: HourRange,
  limit: number,
): Promise<RecordedHour[]> {
  const rows = await firstByHour(session, { ...range, limit });
  return rows.map(({ hour, count }) => ({ hour: bucketStart(hour, hourMs), count }));
}

/** Returns whether records of the hour arrived after `position`. */
export async function hasNewer(
  session: Session,
  hour: DeviceHour,
  position: number,
): Promise<boolean> {
  const parameters = { ...hour, end: hour.hour + hourMs, position };
  return (await newer(session, parameters)).length > 0;
}
