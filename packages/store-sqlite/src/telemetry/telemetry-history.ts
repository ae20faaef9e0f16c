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
import type { Connection } from "../database/connection.js";
import { prepareDeviceNumbers } from "../device/device-numbers.js";
import { prepareOpenHours } from "./hours/open-hours.js";
import { type HourRow, prepareRollupRows } from "./hours/rollup-rows.js";
import { findUnbuilt } from "./hours/unbuilt-hours.js";
import { prepareRecordRows } from "./record-rows.js";
import type { ShapeRows } from "./shapes/shape-rows.js";

type Turn = Parameters<TelemetryStore["aggregate"]>[1];

/**
 * Records and hours per page. A page of records is aggregated in one turn of the event loop. The
 * roll-ups of a page of hours are read in several parts if they are large.
 */
const pageRecords = 100;
const pageHours = 500;

/**
 * Creates a function that aggregates metrics into buckets, from roll-ups and from the records of
 * hours that are not rolled up.
 */
export function createAggregation(connection: Connection, shapes: ShapeRows) {
  const { database, runSteps, readStep } = connection;
  const records = prepareRecordRows(database);
  const rollups = prepareRollupRows(database, shapes);
  const hours = prepareOpenHours(database);
  const numbers = prepareDeviceNumbers(database);

  async function aggregate(
    query: AggregateQuery,
    device: number,
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
        const hasMore: boolean = await readStep(() => {
          const { rows, isCut } = records.oldestFirst(range, place, pageRecords);
          for (const row of rows) addRecord(row, shapes.recordShape);
          progress.records += rows.length;
          after = rows.at(-1) ?? null;
          return isCut || rows.length === pageRecords;
        });
        if (pacer.isDue()) await pacer.turn();
        if (!hasMore) return;
      }
    }

    async function addRow({ names, content, hour }: HourRow): Promise<void> {
      const { buckets, metrics } = readHour(names, content, hour, isWanted);
      for (const bucket of buckets) aggregator.addBucket(bucket);
      progress.mostMetrics = Math.max(progress.mostMetrics, metrics);
      if (pacer.isDue()) await pacer.turn();
    }

    /**
     * Unbuilt hours are found before any roll-up is read. They are read from their records even if
     * they are rolled up in between, so each hour is added once and lacks no record.
     */
    async function addHours(from: number, to: number): Promise<void> {
      const unbuilt = await findUnbuilt(connection, hours, { device, from, to }, pacer);
      let next = 0;
      const addUnbuilt = async (before: number) => {
        for (; (unbuilt[next] ?? before) < before; next++) {
          const hour = unbuilt[next] as number;
          await addRecords(hour, hour + hourMs);
        }
      };
      for (let first = from; first < to; ) {
        const start = first;
        const { rows, end } = await readStep(() => rollups.read(device, start, to));
        for (const row of rows) {
          await addUnbuilt(row.hour);
          if (row.hour !== unbuilt[next]) await addRow(row);
        }
        first = end;
      }
      await addUnbuilt(to);
    }

    await aggregateRange(query, {
      addRecords,
      addHours,
      firstHourFrom: (hour) => readStep(() => hours.firstFrom(device, hour)),
      pageHours,
    });
    return aggregator.buckets();
  }

  return (query: AggregateQuery, turn: Turn): Promise<readonly MetricBucket[]> =>
    runSteps(async () => {
      const device = await readStep(() => numbers.find(query.deviceId));
      return device === undefined ? [] : aggregate(query, device, turn);
    });
}
