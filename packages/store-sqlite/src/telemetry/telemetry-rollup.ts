import {
  bucketStart,
  createBucketFolder,
  type MetricBucket,
  type RecordPlace,
  type TelemetryStore,
} from "@device-gateway/core/store";
import type { Connection } from "../database/connection.js";
import { prepareDeviceNumbers } from "../device/device-numbers.js";
import { type DeviceHour, hourMs, prepareOpenHours } from "./open-hours.js";
import { createRecordFolder } from "./record-folder.js";
import { prepareRecordRows } from "./record-rows.js";
import { prepareRollupRows } from "./rollup-rows.js";
import type { ShapeRows } from "./shape-rows.js";

/** Records read in one step, and hours written in one: neither is a pause that requests feel. */
const stepRecords = 500;
const stepHours = 8;

/** What the records of an hour come to, as far as they had arrived at a position. */
interface BuiltHour extends DeviceHour {
  readonly buckets: readonly MetricBucket[];
  readonly upTo: number;
}

/**
 * Follows the records in the order in which they arrived and notes the hour of each as open; hours
 * that are over are then built anew from all their records. So a late record needs no care of its own.
 */
export function createRollup(
  { database, enter, look, transact }: Connection,
  shapes: ShapeRows,
): Pick<TelemetryStore, "rollUp" | "reopenHours"> {
  const hours = prepareOpenHours(database);
  const records = prepareRecordRows(database);
  const rollups = prepareRollupRows(database, shapes);
  const numbers = prepareDeviceNumbers(database);
  const pause = () => new Promise<void>((resolve) => setImmediate(resolve));

  /** Reads in steps, outside of the lock that writers wait for: an hour may have any number. */
  async function build(open: DeviceHour): Promise<BuiltHour> {
    const { device, hour } = open;
    const folder = createBucketFolder(hourMs);
    const add = createRecordFolder(shapes, folder, () => true);
    const range = { device, from: hour, to: hour + hourMs, receivedFrom: 0 };
    const upTo = await look(() => records.lastPosition());
    let after: RecordPlace | null = null;
    for (;;) {
      const place: RecordPlace | null = after;
      const goesOn: boolean = await look(() => {
        const { rows, isCut } = records.oldestFirst(range, place, stepRecords);
        for (const row of rows) add(row);
        after = rows.at(-1) ?? null;
        return isCut || rows.length === stepRecords;
      });
      if (!goesOn) return { ...open, buckets: folder.buckets(), upTo };
      await pause();
    }
  }

  /** Within a transaction. */
  function write({ buckets, upTo, ...built }: BuiltHour): void {
    const { device, hour } = built;
    // Then it may lack what came while it was read, and is built the next time.
    if (hours.hasNewer(built, upTo)) return;
    if (!hours.close(built)) return;
    // What was rolled up of records that are gone is not to be lost.
    if (hours.mayLack(hour) && rollups.has(device, hour)) return;
    rollups.write(device, hour, buckets);
  }

  async function buildSome(some: readonly DeviceHour[]): Promise<void> {
    const built: BuiltHour[] = [];
    for (const open of some) built.push(await build(open));
    try {
      await transact(() => {
        shapes.begin();
        for (const hour of built) write(hour);
      });
    } catch (error) {
      shapes.forget();
      throw error;
    }
  }

  return {
    rollUp: ({ before, limit }) =>
      enter(async () => {
        // All hours are noted before any is built, or one would be built once for each step of its records.
        const followed = await transact(() => hours.follow(stepRecords));
        if (followed === stepRecords) return { built: 0, more: true };
        const open = await look(() => hours.over(before, limit));
        for (let done = 0; done < open.length; done += stepHours) {
          await buildSome(open.slice(done, done + stepHours));
          await pause();
        }
        return { built: open.length, more: open.length === limit };
      }),

    reopenHours: ({ deviceId, from, to }) =>
      enter(() =>
        transact(() => {
          const device = numbers.find(deviceId);
          if (device === undefined) return { reopened: 0, kept: 0 };
          const first = bucketStart(from, hourMs);
          const end = bucketStart(to - 1, hourMs) + hourMs;
          const known = [
            ...hours.withRecords(device, first, end),
            ...rollups.hours(device, first, end),
          ];
          let reopened = 0;
          const all = new Set(known);
          for (const hour of all) {
            if (hours.mayLack(hour) && rollups.has(device, hour)) continue;
            hours.open({ device, hour });
            reopened += 1;
          }
          return { reopened, kept: all.size - reopened };
        }),
      ),
  };
}
