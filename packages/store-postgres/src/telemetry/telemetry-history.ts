import {
  bucketStart,
  createBucketFolder,
  createSelector,
  type MetricBucket,
  type MetricSelection,
  nextTurn,
  type RecordPlace,
  type RecordRange,
} from "@device-gateway/core/store";
import type { Connection } from "../database/connection.js";
import { findNumbers } from "../device/device-numbers.js";
import { firstHourFrom, hourMs } from "./open-hours.js";
import { createRecordFolder } from "./record-folder.js";
import { oldestFirst } from "./record-rows.js";
import { bucketsOf, findHours } from "./rollup-rows.js";
import type { ShapeRows } from "./shape-rows.js";

/** Records and hours per page. */
const pageRecords = 1_000;
const pageHours = 1_000;
/** Bytes aggregated in one turn of the event loop. They take some milliseconds. */
const bytesPerTurn = 200_000;
/** The overhead of a record and a bucket, expressed in bytes. */
const recordBytes = 400;
const bucketBytes = 64;

export interface AggregateQuery extends RecordRange {
  readonly intervalMs: number;
  readonly selection: MetricSelection;
}

/**
 * Returns the whole hours of a range that roll-ups can answer: from `first` (inclusive) to `end`
 * (exclusive).
 */
function wholeHours({ from, to, receivedFrom, intervalMs }: AggregateQuery) {
  if (intervalMs % hourMs !== 0) return undefined;
  // A record's timestamp may be five minutes after its receipt. From the next whole hour on,
  // everything measured was also received late enough.
  const safe = receivedFrom === 0 ? from : Math.max(from, receivedFrom + hourMs);
  const first = bucketStart(safe + hourMs - 1, hourMs);
  const end = bucketStart(to, hourMs);
  return first < end ? { first, end } : undefined;
}

/**
 * Creates a function that aggregates metrics into buckets, from roll-ups and from the records of
 * hours that are not rolled up.
 */
export function createAggregation({ runSteps, readStep }: Connection, shapes: ShapeRows) {
  async function aggregate(query: AggregateQuery, device: number): Promise<MetricBucket[]> {
    const folder = createBucketFolder(query.intervalMs);
    const isWanted = createSelector(query.selection);
    const addRecord = createRecordFolder(folder, isWanted);
    let folded = 0;

    /** Lets other requests run when this turn has aggregated enough. */
    async function pace(bytes: number): Promise<void> {
      folded += bytes;
      if (folded < bytesPerTurn) return;
      folded = 0;
      await nextTurn();
    }

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
          addRecord(page.known, row);
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

    const whole = wholeHours(query);
    if (whole === undefined) {
      await addRecords(query.from, query.to);
      return folder.buckets();
    }
    await addRecords(query.from, whole.first);
    for (let hour = whole.first; hour < whole.end; ) {
      // Skip hours without data, such as those before the first record.
      const next = hour;
      const from = await readStep((session) => firstHourFrom(session, device, next));
      if (from === undefined || from >= whole.end) break;
      hour = Math.min(from + pageHours * hourMs, whole.end);
      await addHours(from, hour);
    }
    await addRecords(Math.max(query.from, whole.end), query.to);
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
