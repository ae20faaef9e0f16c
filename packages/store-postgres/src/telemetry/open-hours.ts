import { bucketStart } from "@device-gateway/core/store";
import { type Session, statement } from "../database/statement.js";

export const hourMs = 3_600_000;
/** How far ahead of its receipt a record may be measured (contract §4). */
const aheadMs = 300_000;

export interface DeviceHour {
  readonly device: number;
  readonly hour: number;
}

const open = statement<{ device: number; hours: readonly number[] }, object>(
  `INSERT INTO device_gateway.telemetry_open_hours (device, hour)
   SELECT @device::integer, unnest(@hours::bigint[]) ON CONFLICT DO NOTHING`,
);
const close = statement<DeviceHour, object>(
  `DELETE FROM device_gateway.telemetry_open_hours WHERE device = @device AND hour = @hour
   RETURNING hour`,
);
const over = statement<{ latest: number; limit: number }, DeviceHour>(
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
const withRecords = statement<{ device: number; from: number; to: number }, { hour: number }>(
  `SELECT DISTINCT at - mod(mod(at, ${hourMs}) + ${hourMs}, ${hourMs}) AS hour
   FROM device_gateway.telemetry WHERE device = @device AND at >= @from AND at < @to`,
);
const newer = statement<DeviceHour & { end: number; position: number }, object>(
  `SELECT FROM device_gateway.telemetry
   WHERE device = @device AND at >= @hour AND at < @end AND position > @position LIMIT 1`,
);

/** Marks hours whose records are not all in their roll-up: appending does the same by itself. */
export async function openHours(
  session: Session,
  device: number,
  hours: readonly number[],
): Promise<void> {
  await open(session, { device, hours });
}

/** False when it was closed, or its device erased, meanwhile. */
export async function closeHour(session: Session, hour: DeviceHour): Promise<boolean> {
  return (await close(session, hour)).length > 0;
}

/** Some open hours that were over before a time, of devices that are not erased. */
export const hoursOver = (
  session: Session,
  before: number,
  limit: number,
): Promise<readonly DeviceHour[]> => over(session, { latest: before - hourMs, limit });

/** Before this hour records may be gone. */
export async function firstWholeHour(session: Session): Promise<number> {
  const [mark] = await readMark(session, {});
  return (mark?.prunedBefore ?? 0) + aheadMs;
}

/** When the first that may be in a history begins, from an hour on. */
export async function firstHourFrom(
  session: Session,
  device: number,
  from: number,
): Promise<number | undefined> {
  const [row] = await first(session, { device, from });
  return row?.hour ?? undefined;
}

/** All hours of a range that have records. */
export async function hoursWithRecords(
  session: Session,
  device: number,
  from: number,
  to: number,
): Promise<number[]> {
  const rows = await withRecords(session, { device, from, to });
  return rows.map(({ hour }) => bucketStart(hour, hourMs));
}

/** Whether an hour has records that arrived after a position. */
export async function hasNewer(
  session: Session,
  hour: DeviceHour,
  position: number,
): Promise<boolean> {
  const parameters = { ...hour, end: hour.hour + hourMs, position };
  return (await newer(session, parameters)).length > 0;
}
