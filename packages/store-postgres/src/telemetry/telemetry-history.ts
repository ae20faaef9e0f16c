import {
  type AggregateQuery,
  aggregateRange,
  createBucketAggregator,
  createPacer,
  createRecordAggregator,
  createSelector,
  hourMs,
  type MetricBucket,
  type RecordPlace,
  readHour,
  type TelemetryStore,
} from "@device-gateway/core/store";
import type { Connection } from "../database/connection/connection.js";
import { isCut, mayHaveMore } from "./cut-page.js";
import type { DeviceRows, FindDevice } from "./device-rows.js";
import { firstHourFrom } from "./hours/open-hours.js";
import { type FoundHour, findHours } from "./hours/rollup-rows.js";
import { oldestFirst } from "./record-rows.js";
import { type HourNames, type RecordPage, type ShapeRows, shapeOf } from "./shapes/shape-rows.js";
import type { ShapedRows } from "./shapes/shaped-rows.js";

type Turn = Parameters<TelemetryStore["aggregate"]>[1];

/** The most records and hours per page. A page has fewer if they are large. */
const pageRecords = 1_000;
const pageHours = 1_000;

/**
 * Creates a function that aggregates metrics into buckets, from roll-ups and from the records of
 * hours that are not rolled up.
 */
export function createAggregation(
  { runSteps }: Pick<Connection, "runSteps">,
  findDevice: FindDevice,
  shapes: ShapeRows,
) {
  async function aggregate(
    query: AggregateQuery,
    { device, readStep }: DeviceRows,
    turn: Turn,
  ): Promise<MetricBucket[]> {
    const aggregator = createBucketAggregator(query.intervalMs);
    const isWanted = createSelector(query.selection);
    const addRecord = createRecordAggregator(aggregator, isWanted);
    const pacer = createPacer({ turn });
    const { progress = { records: 0, mostMetrics: 0 } } = query;

    async function addRecords(from: number, to: number): Promise<void> {
      if (from >= to) return;
      const range = { device, from, to, receivedFrom: query.receivedFrom };
      let after: RecordPlace | null = null;
      for (;;) {
        const place: RecordPlace | null = after;
        const page: RecordPage = await readStep((session) =>
          shapes.readRecords(session, () => oldestFirst(session, range, place, pageRecords)),
        );
        progress.records += page.rows.length;
        for (const row of page.rows) {
          addRecord(row, (shape) => shapeOf(page.shapes, shape));
          if (pacer.isDue()) await pacer.turn();
        }
        after = page.all.at(-1) ?? null;
        if (!mayHaveMore(page.all, pageRecords)) return;
      }
    }

    async function addPage(hours: ShapedRows<FoundHour, HourNames>): Promise<void> {
      // An hour that is open, or whose roll-up cannot be read, is read from its records.
      const readable = new Set(hours.rows);
      const isRaw = (row: FoundHour) => row.isOpen || !readable.has(row);
      const raw = new Set(hours.all.flatMap((row) => (isRaw(row) ? row.hour : [])));
      const done = new Set<number>();
      for (const row of hours.all) {
        if (!raw.has(row.hour)) {
          const names = row.shape === null ? null : shapeOf(hours.shapes, row.shape);
          const { buckets, metrics } = readHour(names, row.content, row.hour, isWanted);
          for (const bucket of buckets) aggregator.addBucket(bucket);
          progress.mostMetrics = Math.max(progress.mostMetrics, metrics);
          if (pacer.isDue()) await pacer.turn();
        } else if (!done.has(row.hour)) {
          done.add(row.hour);
          await addRecords(row.hour, row.hour + hourMs);
        }
      }
    }

    /** One statement decides which hours of a page come from roll-ups, so none is rolled up in between. */
    async function addHours(from: number, to: number): Promise<void> {
      for (let first = from; first < to; ) {
        const range = { device, from: first, to };
        const hours = await readStep((session) =>
          shapes.readHours(session, () => findHours(session, range)),
        );
        await addPage(hours);
        const last = hours.all.at(-1);
        if (last === undefined || !isCut(hours.all)) return;
        first = last.hour + hourMs;
      }
    }

    await aggregateRange(query, {
      addRecords,
      addHours,
      firstHourFrom: (hour) => readStep((session) => firstHourFrom(session, device, hour)),
      pageHours,
    });
    return aggregator.buckets();
  }

  return (query: AggregateQuery, turn: Turn): Promise<readonly MetricBucket[]> =>
    runSteps(async () => {
      const found = await findDevice(query.deviceId);
      return found === undefined ? [] : aggregate(query, found, turn);
    });
}
