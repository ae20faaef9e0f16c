import {
  bucketStart,
  createBucketAggregator,
  createRecordAggregator,
  hourMs,
  type MetricBucket,
  packBuckets,
  type RecordPlace,
  type TelemetryStore,
} from "@device-gateway/core/store";
import { endsOf } from "../database/commit-order.js";
import type { Connection } from "../database/connection.js";
import { type Session, statement } from "../database/statement.js";
import { lockDevices, lockNumbers } from "../device/device-numbers.js";
import {
  closeHour,
  type DeviceHour,
  endedHours,
  firstWholeHour,
  hasNewer,
  hoursWithRecords,
  openHours,
} from "./open-hours.js";
import { oldestFirst } from "./record-rows.js";
import { findHours, hasHour, writeHour } from "./rollup-rows.js";
import { type RecordPage, type ShapeRows, shapeOf } from "./shapes/shape-rows.js";
import type { ShapeUses, UseNotes } from "./shapes/shape-uses.js";
import { dayMs, type TelemetryPartitions } from "./telemetry-partitions.js";

/** Records read and hours written per step. */
const stepRecords = 1_000;
const stepHours = 16;

/** An hour aggregated from the records that had arrived at position `upTo`. */
interface BuiltHour extends DeviceHour {
  readonly buckets: readonly MetricBucket[];
  readonly upTo: number;
  readonly shape: number | null;
}

const readEnds = statement<object, { settled: number }>(endsOf("telemetry_positions"));

export async function lastPosition(session: Session): Promise<number> {
  const [ends] = await readEnds(session, {});
  return ends?.settled ?? 0;
}

/**
 * Creates the roll-up. An hour that has ended is built from all its records; a late record opens
 * its hour again.
 */
export function createRollup(
  { runSteps, readStep, writeStep }: Connection,
  shapes: ShapeRows,
  uses: ShapeUses,
  partitions: TelemetryPartitions,
): Pick<TelemetryStore, "rollUp" | "reopenHours"> {
  /**
   * Reads in steps and without the lock that appending needs, because an hour may have any number
   * of records.
   */
  async function build(open: DeviceHour): Promise<Omit<BuiltHour, "shape">> {
    const { device, hour } = open;
    const aggregator = createBucketAggregator(hourMs);
    const add = createRecordAggregator(aggregator, () => true);
    const range = { device, from: hour, to: hour + hourMs, receivedFrom: 0 };
    const upTo = await readStep(lastPosition);
    let after: RecordPlace | null = null;
    for (;;) {
      const place: RecordPlace | null = after;
      const page: RecordPage = await readStep((session) =>
        shapes.readRecords(session, () => oldestFirst(session, range, place, stepRecords)),
      );
      for (const row of page.rows) add(row, (shape) => shapeOf(page.shapes, shape));
      after = page.all.at(-1) ?? null;
      if (page.all.length < stepRecords) return { ...open, buckets: aggregator.buckets(), upTo };
    }
  }

  /** Writes a built hour within a transaction that has locked the device. */
  async function write(session: Session, notes: UseNotes, built: BuiltHour): Promise<void> {
    const { device, hour } = built;
    // The hour may lack records that arrived while it was read. The next roll-up builds it.
    if (await hasNewer(session, built, built.upTo)) return;
    if (!(await closeHour(session, { device, hour }))) return;
    // Some of its records may be pruned: keep the roll-up that still includes them.
    if (hour < (await firstWholeHour(session)) && (await hasHour(session, { device, hour })))
      return;
    const mayUse = built.shape !== null && notes.take(device, built.shape, "hour", hour);
    await writeHour(session, { device, hour }, mayUse ? built.shape : null, built.buckets);
  }

  async function buildSome(some: readonly DeviceHour[]): Promise<void> {
    const built: Omit<BuiltHour, "shape">[] = [];
    for (const open of some) built.push(await build(open));
    const wanted = built.map(({ device, hour, buckets }) => {
      return { device, at: hour, skeleton: packBuckets(buckets).skeleton };
    });
    const numbers = await readStep((session) => shapes.numberHours(session, wanted));
    const devices = [...new Set(some.map(({ device }) => device))];
    const notes = await writeStep(async (session) => {
      const begun = uses.begin();
      const there = await lockNumbers(session, devices);
      await begun.know(session, there.values());
      for (const [n, hour] of built.entries()) {
        if (!there.has(hour.device)) await closeHour(session, hour);
        else await write(session, begun, { ...hour, shape: numbers[n] ?? null });
      }
      await begun.write(session);
      return begun;
    });
    notes.committed();
  }

  return {
    rollUp: ({ before, limit }) =>
      runSteps(async () => {
        // The roll-up runs regularly, so it also creates tomorrow's partition in advance.
        await readStep((session) => partitions.makeFor(session, [before, before + dayMs]));
        const open = await readStep((session) => endedHours(session, before, limit));
        for (let done = 0; done < open.length; done += stepHours) {
          await buildSome(open.slice(done, done + stepHours));
        }
        return { built: open.length, more: open.length === limit };
      }),

    reopenHours: ({ deviceId, from, to }) =>
      runSteps(() =>
        writeStep(async (session) => {
          const device = (await lockDevices(session, [deviceId])).get(deviceId);
          if (device === undefined) return { reopened: 0, kept: 0 };
          const first = bucketStart(from, hourMs);
          const end = bucketStart(to - 1, hourMs) + hourMs;
          const found = await findHours(session, { device, from: first, to: end });
          const rolledUp = new Set(found.flatMap(({ hour, isOpen }) => (isOpen ? [] : hour)));
          const whole = await firstWholeHour(session);
          const all = new Set([
            ...(await hoursWithRecords(session, device, first, end)),
            ...rolledUp,
          ]);
          const reopened = [...all].filter((hour) => hour >= whole || !rolledUp.has(hour));
          await openHours(session, device, reopened);
          return { reopened: reopened.length, kept: all.size - reopened.length };
        }),
      ),
  };
}
