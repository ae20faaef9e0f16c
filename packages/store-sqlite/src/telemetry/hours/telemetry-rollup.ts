import {
  bucketStart,
  createBucketAggregator,
  createPacer,
  createRecordAggregator,
  createRollUpPasses,
  type DeviceHour,
  type HoursOutcome,
  hourMs,
  type MetricBucket,
  nextTurn,
  type Pacer,
  type RecordPlace,
  type ReopenOutcome,
  type TelemetryStore,
} from "@device-gateway/core/store";
import type { Connection } from "../../database/connection.js";
import { prepareDeviceNumbers } from "../../device/device-numbers.js";
import { prepareRecordRows } from "../record-rows.js";
import type { ShapeRows } from "../shapes/shape-rows.js";
import { prepareOpenHours } from "./open-hours.js";
import { prepareRollupRows } from "./rollup-rows.js";

/** Records whose hours are opened in one step. */
const stepRecords = 500;
/** Records read per step, and the most hours written per step. A step is too short to delay requests noticeably. */
const readRecords = 50;
const stepHours = 8;
/** An hour with more pages of records is built after all others. */
const lightPages = 200;
/** Records and roll-ups that are looked at in one step to reopen their hours. */
const reopenedRecords = 5_000;
const reopenedHours = 500;

/** An hour aggregated from all its records up to the position `upTo`. */
interface BuiltHour extends DeviceHour {
  readonly buckets: readonly MetricBucket[];
  readonly upTo: number;
}

/**
 * Creates the roll-up. It processes records in order of arrival and opens the hour of each. An hour
 * that has ended is rebuilt from all its records, so a late record needs no special case.
 */
export function createRollup(
  { database, runSteps, readStep, writeStep }: Connection,
  shapes: ShapeRows,
): Pick<TelemetryStore, "rollUp" | "reopenHours"> {
  const hours = prepareOpenHours(database);
  const records = prepareRecordRows(database);
  const rollups = prepareRollupRows(database, shapes);
  const numbers = prepareDeviceNumbers(database);

  /**
   * Reads in steps and without the write lock, because an hour may have any number of records.
   * Returns undefined if it has more than `mostPages` pages.
   */
  async function build(
    open: DeviceHour,
    mostPages: number,
    pacer: Pacer,
  ): Promise<BuiltHour | undefined> {
    const { device, hour } = open;
    const aggregator = createBucketAggregator(hourMs);
    const add = createRecordAggregator(aggregator, () => true);
    const range = { device, from: hour, to: hour + hourMs, receivedFrom: 0 };
    const upTo = await readStep(() => records.lastPosition());
    let after: RecordPlace | null = null;
    for (let pages = 0; pages < mostPages; pages++) {
      const place: RecordPlace | null = after;
      const hasMore: boolean = await readStep(() => {
        const { rows, isCut } = records.oldestFirst(range, place, readRecords);
        for (const row of rows) add(row, shapes.recordShape);
        after = rows.at(-1) ?? null;
        return isCut || rows.length === readRecords;
      });
      if (pacer.isDue()) await pacer.turn();
      if (!hasMore) return { ...open, buckets: aggregator.buckets(), upTo };
    }
    return undefined;
  }

  /**
   * Passes over the records of other hours that arrived since the hour was read, so that few are left for the step that
   * holds the write lock.
   */
  async function passOthers(hour: BuiltHour, pacer: Pacer): Promise<BuiltHour> {
    for (let { upTo } = hour; ; ) {
      const from = upTo;
      upTo = await readStep(() => hours.passOthers(hour, from));
      if (upTo === from) return { ...hour, upTo };
      if (pacer.isDue()) await pacer.turn();
    }
  }

  /** Writes a built hour within a transaction. */
  function write({ device, hour, buckets }: BuiltHour): void {
    if (!hours.close({ device, hour })) return;
    // Some of its records may be pruned: keep the roll-up that still includes them.
    if (hours.mayLack(hour) && rollups.has(device, hour)) return;
    rollups.write(device, hour, buckets);
  }

  /**
   * Writes the first of some built hours, as many as one turn has time for. Returns how many were
   * done, and how many of them are closed.
   */
  async function writeFirst(built: readonly BuiltHour[]) {
    try {
      return await writeStep(() => {
        const pacer = createPacer();
        shapes.begin();
        let [done, changed] = [0, 0];
        for (const hour of built) {
          // The hour may lack records that arrived while it was read. A later roll-up builds it.
          if (hours.hasNewer(hour, hour.upTo)) changed += 1;
          else write(hour);
          done += 1;
          if (pacer.isDue()) break;
        }
        return { done, closed: done - changed };
      });
    } catch (error) {
      shapes.clearCache();
      throw error;
    }
  }

  /** Builds hours, except those with many pages. */
  async function buildHours(some: readonly DeviceHour[], mostPages: number): Promise<HoursOutcome> {
    const pacer = createPacer();
    const built: BuiltHour[] = [];
    const heavy: DeviceHour[] = [];
    for (const open of some) {
      const hour = await build(open, mostPages, pacer);
      if (hour === undefined) heavy.push(open);
      else built.push(hour);
    }
    let sum = 0;
    while (built.length > 0) {
      for (const [n, hour] of built.entries()) built[n] = await passOthers(hour, pacer);
      await pacer.turn();
      const { done, closed } = await writeFirst(built);
      built.splice(0, done);
      sum += closed;
    }
    return { closed: sum, heavy };
  }

  const buildNext = createRollUpPasses({
    ended: (before, limit) => readStep(() => hours.ended(before, limit)),
    build: buildHours,
    stepHours,
    lightPages,
  });

  /** Reopens hours from `first` on within a transaction. Returns where the next step begins. */
  function reopen(deviceId: string, first: number, end: number): ReopenOutcome & { next: number } {
    const device = numbers.find(deviceId);
    if (device === undefined) return { reopened: 0, kept: 0, next: end };
    const times = hours.timesOf(device, first, end, reopenedRecords);
    const rolledUp = rollups.hours(device, first, end, reopenedHours);
    // An hour is processed once: with all its records, or in the next step.
    const next = Math.min(
      end,
      times.length < reopenedRecords ? end : bucketStart(times.at(-1) as number, hourMs) + hourMs,
      rolledUp.length < reopenedHours ? end : (rolledUp.at(-1) as number) + hourMs,
    );
    const known = [...times.map((at) => bucketStart(at, hourMs)), ...rolledUp];
    const all = new Set(known.filter((hour) => hour < next));
    let reopened = 0;
    for (const hour of all) {
      if (hours.mayLack(hour) && rollups.has(device, hour)) continue;
      hours.open({ device, hour });
      reopened += 1;
    }
    return { reopened, kept: all.size - reopened, next };
  }

  return {
    rollUp: (input) =>
      runSteps(async () => {
        // Open all hours before any is built. Otherwise an hour would be built once per step of its
        // records.
        const followed = await writeStep(() => hours.follow(stepRecords));
        if (followed === stepRecords) return { built: 0, more: true };
        return buildNext(input);
      }),

    reopenHours: ({ deviceId, from, to }) =>
      runSteps(async () => {
        const end = bucketStart(to - 1, hourMs) + hourMs;
        const sum = { reopened: 0, kept: 0 };
        for (let first = bucketStart(from, hourMs); first < end; ) {
          const { reopened, kept, next } = await writeStep(() => reopen(deviceId, first, end));
          sum.reopened += reopened;
          sum.kept += kept;
          first = next;
          await nextTurn();
        }
        return sum;
      }),
  };
}
