import {
  type AggregateQuery,
  aggregateRange,
  bucketBytes,
  createBucketFolder,
  createPacer,
  createRecordFolder,
  createSelector,
  hourMs,
  type MetricBucket,
  type RecordPlace,
  recordBytes,
} from "@device-gateway/core/store";
import type { Connection } from "../database/connection.js";
import { findNumbers } from "../device/device-numbers.js";
import { firstHourFrom } from "./open-hours.js";
import { oldestFirst } from "./record-rows.js";
import { bucketsOf, findHours } from "./rollup-rows.js";
import { type ShapeRows, shapeOf } from "./shape-rows.js";

/** Records and hours per page. */
const pageRecords = 1_000;
const pageHours = 1_000;

/**
 * Creates a function that aggregates metrics into buckets, from roll-ups and from the records of
 * hours that are not rolled up.
 */
export function createAggregation({ runSteps, readStep }: Connection, shapes: ShapeRows) {
  async function aggregate(query: AggregateQuery, device: number): Promise<MetricBucket[]> {
    const folder = createBucketFolder(query.intervalMs);
    const isWanted = createSelector(query.selection);
    const addRecord = createRecordFolder(folder, isWanted);
    const pace = createPacer();

    async function addRecords(from: number, to: number): Promise<void> {
      if (from >= to) return;
      const range = { device, from, to, receivedFrom: query.receivedFrom };
      let after: RecordPlace | null = null;
      for (;;) {
        const place: RecordPlace | null = after;
        const page = await readStep(async (session) => {
          const rows = await oldestFirst(session, range, place, pageRecords);
          return { rows, known: await shapes.load(session, rows) };
        });
        for (const row of page.rows) {
          addRecord(row, (shape) => shapeOf(page.known, shape));
          await pace(row.content.length + recordBytes);
        }
        after = page.rows.at(-1) ?? null;
        if (page.rows.length < pageRecords) return;
      }
    }

    /** One statement decides which hours come from roll-ups, so none is rolled up in between. */
    async function addHours(from: number, to: number): Promise<void> {
      const { rows, names } = await readStep(async (session) => {
        const found = await findHours(session, { device, from, to });
        return { rows: found, names: await shapes.loadHours(session, found) };
      });
      const open = new Set(rows.flatMap(({ hour, isOpen }) => (isOpen ? hour : [])));
      for (const row of rows) {
        if (row.isOpen) await addRecords(row.hour, row.hour + hourMs);
        else if (!open.has(row.hour)) {
          const buckets = bucketsOf(names, row, isWanted);
          for (const bucket of buckets) folder.addBucket(bucket);
          await pace(row.content.length + buckets.length * bucketBytes);
        }
      }
    }

    await aggregateRange(query, {
      addRecords,
      addHours,
      firstHourFrom: (hour) => readStep((session) => firstHourFrom(session, device, hour)),
      pageHours,
    });
    return folder.buckets();
  }

  return (query: AggregateQuery): Promise<readonly MetricBucket[]> =>
    runSteps(async () => {
      const { deviceId } = query;
      const numbers = await readStep((session) => findNumbers(session, [deviceId]));
      const device = numbers.get(deviceId);
      return device === undefined ? [] : aggregate(query, device);
    });
}
