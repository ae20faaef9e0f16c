import { bucketStart, type DeviceHour, hourMs, recordAheadMs } from "@device-gateway/core/store";
import type { Database } from "../../database/database.js";

/**
 * Up to this many unprocessed records of all devices, a scan of them is faster than a search in the
 * index of one device.
 */
const fewRecords = 4_096;
/** Index entries of a device that are searched in one step, which takes about a millisecond. */
const stepEntries = 5_000;

/** The hours of the first part of a range that have new records. */
export interface ArrivedPart {
  readonly arrived: readonly number[];
  /** The end of that part. It is before the end of the range if the device has many records. */
  readonly end: number;
}

/** The hours whose roll-up lacks records: they have not ended, or a late record arrived. */
export interface OpenHours {
  /**
   * Opens the hours of the next records in order of arrival. Returns the number of records
   * processed.
   */
  follow(limit: number): number;
  open(hour: DeviceHour): void;
  /** Closes an open hour. Returns false if it was closed or its device erased meanwhile. */
  close(hour: DeviceHour): boolean;
  /** Returns open hours that ended before `before`, without those of erased devices. */
  ended(before: number, limit: number): DeviceHour[];
  /** Returns whether records of the hour may have been pruned. */
  mayLack(hour: number): boolean;
  /** Returns the position up to which `follow` has processed the records. */
  followed(): number;
  /** Returns the open hours of a range. */
  opened(device: number, from: number, to: number): number[];
  /** Searches a range for hours whose records arrived after `position`, in one step. */
  arrived(device: number, from: number, to: number, position: number): ArrivedPart;
  /** Returns the first hour from `from` on that has a roll-up or records. */
  firstFrom(device: number, from: number): number | undefined;
  /** Returns the times of up to `limit` records of a range, ascending. */
  timesOf(device: number, from: number, to: number, limit: number): number[];
  /**
   * Passes over the next records of all devices after `position` in one step, unless few are left or one of them is of the
   * hour. Returns the position up to which it passed over them.
   */
  passOthers(hour: DeviceHour, position: number): number;
  /** Returns whether records of the hour arrived after `position`. It reads all later records, so call `passOthers` first. */
  hasNewer(hour: DeviceHour, position: number): boolean;
}

export function prepareOpenHours(database: Database): OpenHours {
  const watermark = database
    .prepare<[], number>("SELECT position FROM telemetry_watermark")
    .pluck();
  const prunedBefore = database
    .prepare<[], number>("SELECT pruned_before FROM telemetry_watermark")
    .pluck();
  const next = database.prepare<[number, number], { position: number; device: number; at: number }>(
    "SELECT position, device, at FROM telemetry WHERE position > ? ORDER BY position LIMIT ?",
  );
  const move = database.prepare<[number]>("UPDATE telemetry_watermark SET position = ?");
  const open = database.prepare<[DeviceHour]>(
    "INSERT OR IGNORE INTO telemetry_open_hours (device, hour) VALUES (@device, @hour)",
  );
  const close = database.prepare<[DeviceHour]>(
    "DELETE FROM telemetry_open_hours WHERE device = @device AND hour = @hour",
  );
  const ended = database.prepare<[number, number], DeviceHour>(
    `SELECT device, hour FROM telemetry_open_hours
     WHERE hour <= ? AND device NOT IN (SELECT device FROM telemetry_erased)
     ORDER BY hour LIMIT ?`,
  );
  const opened = database
    .prepare<[number, number, number], number>(
      "SELECT hour FROM telemetry_open_hours WHERE device = ? AND hour >= ? AND hour < ?",
    )
    .pluck();
  // The index holds every needed column, so no record is read.
  const arrived = database
    .prepare<[number, number, number, number], number>(
      `SELECT at FROM telemetry INDEXED BY telemetry_by_time
       WHERE device = ? AND at >= ? AND at < ? AND +position > ?`,
    )
    .pluck();
  const times = database
    .prepare<[number, number, number, number], number>(
      "SELECT at FROM telemetry WHERE device = ? AND at >= ? AND at < ? ORDER BY at LIMIT ?",
    )
    .pluck();
  const stepEnd = database
    .prepare<[number, number, number], number>(
      `SELECT at FROM telemetry INDEXED BY telemetry_by_time
       WHERE device = ? AND at >= ? AND at < ? ORDER BY at LIMIT 1 OFFSET ${stepEntries}`,
    )
    .pluck();
  // The index ends in the position, so it finds the later records of an instant by themselves.
  const arrivedAt = database.prepare<[number, number, number]>(
    `SELECT 1 FROM telemetry INDEXED BY telemetry_by_time
     WHERE device = ? AND at = ? AND position > ? LIMIT 1`,
  );
  const last = database.prepare<[], number | null>("SELECT max(position) FROM telemetry").pluck();
  const amongLast = database
    .prepare<[position: number, device: number, from: number, to: number], number>(
      `SELECT at FROM telemetry NOT INDEXED
       WHERE position > ? AND device = ? AND at >= ? AND at < ?`,
    )
    .pluck();
  // The index would also have the earlier records of the hour, which may be any number.
  const newer = database.prepare<[number, number, number, number, number]>(
    `SELECT 1 FROM telemetry NOT INDEXED
     WHERE position > ? AND position <= ? AND device = ? AND at >= ? AND at < ? LIMIT 1`,
  );
  const first = database
    .prepare<[{ device: number; from: number }], number | null>(
      `SELECT min(at) FROM (
         SELECT min(hour) AS at FROM telemetry_rollups WHERE device = @device AND hour >= @from
         UNION ALL
         SELECT min(at) FROM telemetry WHERE device = @device AND at >= @from)`,
    )
    .pluck();
  const hasBetween = ({ device, hour }: DeviceHour, after: number, to: number) =>
    newer.get(after, to, device, hour, hour + hourMs) !== undefined;
  const hoursOf = (times: readonly number[]) => [
    ...new Set(times.map((at) => bucketStart(at, hourMs))),
  ];

  return {
    follow(limit) {
      const rows = next.all(watermark.get() ?? 0, limit);
      const noted = new Set<string>();
      for (const { device, at } of rows) {
        const hour = bucketStart(at, hourMs);
        const name = `${device} ${hour}`;
        if (!noted.has(name)) open.run({ device, hour });
        noted.add(name);
      }
      const end = rows.at(-1);
      if (end !== undefined) move.run(end.position);
      return rows.length;
    },
    open: (hour) => void open.run(hour),
    close: (hour) => close.run(hour).changes > 0,
    ended: (before, limit) => ended.all(before - hourMs, limit),
    mayLack: (hour) => hour < (prunedBefore.get() ?? 0) + recordAheadMs,
    followed: () => watermark.get() ?? 0,
    opened: (device, from, to) => opened.all(device, from, to),
    arrived(device, from, to, position) {
      const isFew = (last.get() ?? 0) - position <= fewRecords;
      if (isFew) return { arrived: hoursOf(amongLast.all(position, device, from, to)), end: to };
      const end = stepEnd.get(device, from, to) ?? to;
      if (end > from) return { arrived: hoursOf(arrived.all(device, from, end, position)), end };
      // This instant alone has more records than a step.
      const hasArrived = arrivedAt.get(device, from, position) !== undefined;
      return { arrived: hasArrived ? hoursOf([from]) : [], end: from + 1 };
    },
    firstFrom(device, from) {
      const at = first.get({ device, from });
      return at === null || at === undefined ? undefined : bucketStart(at, hourMs);
    },
    timesOf: (device, from, to, limit) => times.all(device, from, to, limit),
    passOthers(hour, position) {
      const end = position + fewRecords;
      const isFew = (last.get() ?? 0) <= end;
      return isFew || hasBetween(hour, position, end) ? position : end;
    },
    hasNewer: (hour, position) => hasBetween(hour, position, Number.MAX_SAFE_INTEGER),
  };
}
