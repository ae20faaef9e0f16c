import {
  createBucketAggregator,
  createRecordAggregator,
  createRollUpPasses,
  type DeviceHour,
  type HoursOutcome,
  hourMs,
  type MetricBucket,
  packBuckets,
  type RecordPlace,
  type TelemetryStore,
} from "@device-gateway/core/store";
import type { Connection } from "../../database/connection/connection.js";
import type { Session } from "../../database/statement.js";
import { lockNumbers } from "../../device/device-numbers.js";
import { mayHaveMore } from "../cut-page.js";
import { lastPosition } from "../positions.js";
import { oldestFirst } from "../record-rows.js";
import type { TelemetryPartitions } from "../retention/telemetry-partitions.js";
import { type RecordPage, type ShapeRows, shapeOf } from "../shapes/shape-rows.js";
import type { ShapeUses, UseNotes } from "../shapes/shape-uses.js";
import { closeHour, endedHours, firstWholeHour, hasNewer } from "./open-hours.js";
import { hasHour, writeHour } from "./rollup-rows.js";

/** Records read and hours written per step. */
const stepRecords = 1_000;
const stepHours = 16;
/** An hour with more pages of records is built after all others. */
const lightPages = 20;

/** An hour aggregated from the records that had arrived at position `upTo`. */
interface BuiltHour extends DeviceHour {
  readonly buckets: readonly MetricBucket[];
  readonly upTo: number;
  readonly shape: number | null;
}

/**
 * Creates the roll-up. An hour that has ended is built from all its records; a late record opens
 * its hour again. `withFreshCaches` repeats work if another process deleted something that was
 * cached.
 */
export function createRollup(
  { runSteps, readStep, writeStep }: Connection,
  shapes: ShapeRows,
  uses: ShapeUses,
  partitions: TelemetryPartitions,
  withFreshCaches: <Outcome>(work: () => Promise<Outcome>) => Promise<Outcome>,
): TelemetryStore["rollUp"] {
  /**
   * Reads in steps and without the lock that appending needs, because an hour may have any number
   * of records. Returns undefined if it has more than `mostPages` pages.
   */
  async function build(
    open: DeviceHour,
    mostPages: number,
  ): Promise<Omit<BuiltHour, "shape"> | undefined> {
    const { device, hour } = open;
    const aggregator = createBucketAggregator(hourMs);
    const add = createRecordAggregator(aggregator, () => true);
    const range = { device, from: hour, to: hour + hourMs, receivedFrom: 0 };
    const upTo = await readStep(lastPosition);
    let after: RecordPlace | null = null;
    for (let pages = 0; pages < mostPages; pages++) {
      const place: RecordPlace | null = after;
      const page: RecordPage = await readStep((session) =>
        shapes.readRecords(session, () => oldestFirst(session, range, place, stepRecords)),
      );
      for (const row of page.rows) add(row, (shape) => shapeOf(page.shapes, shape));
      after = page.all.at(-1) ?? null;
      if (!mayHaveMore(page.all, stepRecords)) {
        return { ...open, buckets: aggregator.buckets(), upTo };
      }
    }
    return undefined;
  }

  /** Writes a built hour within a transaction that has locked the device. */
  async function write(session: Session, notes: UseNotes, built: BuiltHour): Promise<void> {
    const { device, hour } = built;
    if (!(await closeHour(session, { device, hour }))) return;
    // Some of its records may be pruned: keep the roll-up that still includes them.
    if (hour < (await firstWholeHour(session)) && (await hasHour(session, { device, hour })))
      return;
    const mayUse = built.shape !== null && notes.take(device, built.shape, "hour", hour);
    await writeHour(session, { device, hour }, mayUse ? built.shape : null, built.buckets);
  }

  /** Writes built hours in one transaction. Returns how many are closed. */
  async function writeAll(built: readonly Omit<BuiltHour, "shape">[]): Promise<number> {
    const wanted = built.map(({ device, hour, buckets }) => {
      return { device, at: hour, skeleton: packBuckets(buckets).skeleton };
    });
    const numbers = await readStep((session) => shapes.numberHours(session, wanted));
    const devices = [...new Set(built.map(({ device }) => device))];
    const { notes, closed } = await writeStep(async (session) => {
      const begun = uses.begin();
      const there = await lockNumbers(session, devices);
      await begun.know(session, there.values());
      let changed = 0;
      for (const [n, hour] of built.entries()) {
        if (!there.has(hour.device)) await closeHour(session, hour);
        // The hour may lack records that arrived while it was read. A later roll-up builds it.
        else if (await hasNewer(session, hour, hour.upTo)) changed += 1;
        else await write(session, begun, { ...hour, shape: numbers[n] ?? null });
      }
      await begun.write(session);
      return { notes: begun, closed: built.length - changed };
    });
    notes.committed();
    return closed;
  }

  async function buildSome(some: readonly DeviceHour[], mostPages: number): Promise<HoursOutcome> {
    const built: Omit<BuiltHour, "shape">[] = [];
    const heavy: DeviceHour[] = [];
    for (const open of some) {
      const hour = await build(open, mostPages);
      if (hour === undefined) heavy.push(open);
      else built.push(hour);
    }
    return { closed: built.length > 0 ? await writeAll(built) : 0, heavy };
  }

  const buildNext = createRollUpPasses({
    ended: (before, limit) => readStep((session) => endedHours(session, before, limit)),
    build: (some, mostPages) => withFreshCaches(() => buildSome(some, mostPages)),
    stepHours,
    lightPages,
  });

  return (input) =>
    runSteps(async () => {
      // The roll-up runs regularly, so it also creates tomorrow's partition in advance.
      await readStep((session) => partitions.makeNext(session, input.before));
      return buildNext(input);
    });
}
