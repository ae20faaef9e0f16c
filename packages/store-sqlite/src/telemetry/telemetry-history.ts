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
import { prepareDeviceNumbers } from "../device/device-numbers.js";
import { hourMs, prepareOpenHours } from "./open-hours.js";
import { createRecordFolder } from "./record-folder.js";
import { prepareRecordRows } from "./record-rows.js";
import { bucketsOf, prepareRollupRows } from "./rollup-rows.js";
import type { ShapeRows } from "./shape-rows.js";

/** Records and hours per page. */
const pageRecords = 500;
const pageHours = 500;
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
export function createAggregation({ database, runSteps, readStep }: Connection, shapes: ShapeRows) {
  const records = prepareRecordRows(database);
  const rollups = prepareRollupRows(database, shapes);
  const hours = prepareOpenHours(database);
  const numbers = prepareDeviceNumbers(database);
  async function aggregate(query: AggregateQuery, device: number): Promise<MetricBucket[]> {
    const folder = createBucketFolder(query.intervalMs);
    const isWanted = createSelector(query.selection);
    const addRecord = createRecordFolder(shapes, folder, isWanted);
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
        const { goesOn, bytes } = await readStep(() => {
          const { rows, isCut } = records.oldestFirst(range, place, pageRecords);
          for (const row of rows) addRecord(row);
          after = rows.at(-1) ?? null;
          return {
            goesOn: isCut || rows.length === pageRecords,
            bytes: rows.reduce((sum, { content }) => sum + content.length + recordBytes, 0),
          };
        });
        await pace(goesOn ? bytesPerTurn : bytes);
        if (!goesOn) return;
      }
    }

    /** One read decides which hours come from roll-ups, so none is rolled up in between. */
    async function addHours(from: number, to: number): Promise<void> {
      const { unbuilt, built } = await readStep(() => ({
        unbuilt: hours.unbuilt(device, from, to),
        built: rollups.read(device, from, to),
      }));
      let next = 0;
      for (const hour of [...unbuilt, to]) {
        for (let row = built[next]; row !== undefined && row.hour <= hour; row = built[++next]) {
          if (row.hour === hour) continue;
          const buckets = bucketsOf(row, isWanted);
          for (const bucket of buckets) folder.addBucket(bucket);
          await pace(row.content.length + buckets.length * bucketBytes);
        }
        if (hour < to) await addRecords(hour, hour + hourMs);
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
      const from = await readStep(() => hours.firstFrom(device, hour));
      if (from === undefined || from >= whole.end) break;
      hour = Math.min(Math.max(hour, from) + pageHours * hourMs, whole.end);
      await addHours(from, hour);
      await nextTurn();
    }
    await addRecords(Math.max(query.from, whole.end), query.to);
    return folder.buckets();
  }

  return (query: AggregateQuery): Promise<readonly MetricBucket[]> =>
    runSteps(async () => {
      const device = await readStep(() => numbers.find(query.deviceId));
      return device === undefined ? [] : aggregate(query, device);
    });
}
