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

/** Records, and hours, that are read at once. */
const pageRecords = 500;
const pageHours = 500;
/** Bytes that are folded in one turn of the event loop: some milliseconds. */
const bytesPerTurn = 200_000;
/** What a record and a bucket take besides their bytes, as bytes. */
const recordBytes = 400;
const bucketBytes = 64;

export interface AggregateQuery extends RecordRange {
  readonly intervalMs: number;
  readonly selection: MetricSelection;
}

/** The whole hours of a range that may be read from roll-ups: from the first to before the last. */
function wholeHours({ from, to, receivedFrom, intervalMs }: AggregateQuery) {
  if (intervalMs % hourMs !== 0) return undefined;
  // A record may be measured up to five minutes after it was received, by the device's clock:
  // from the hour after that on, all that was measured was received late enough.
  const safe = receivedFrom === 0 ? from : Math.max(from, receivedFrom + hourMs);
  const first = bucketStart(safe + hourMs - 1, hourMs);
  const end = bucketStart(to, hourMs);
  return first < end ? { first, end } : undefined;
}

/** Works out buckets from the hours that are rolled up, and from the records of the others. */
export function createAggregation({ database, enter, look }: Connection, shapes: ShapeRows) {
  const records = prepareRecordRows(database);
  const rollups = prepareRollupRows(database, shapes);
  const hours = prepareOpenHours(database);
  const numbers = prepareDeviceNumbers(database);
  async function aggregate(query: AggregateQuery, device: number): Promise<MetricBucket[]> {
    const folder = createBucketFolder(query.intervalMs);
    const isWanted = createSelector(query.selection);
    const addRecord = createRecordFolder(shapes, folder, isWanted);
    let folded = 0;

    /** Leaves the turn to other requests when enough was folded in it. */
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
        const { goesOn, bytes } = await look(() => {
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

    /** What each hour is read from is decided in one look, so that none is built in between. */
    async function addHours(from: number, to: number): Promise<void> {
      const { unbuilt, built } = await look(() => ({
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
      // Empty stretches, such as those before the first record, cost nothing.
      const from = await look(() => hours.firstFrom(device, hour));
      if (from === undefined || from >= whole.end) break;
      hour = Math.min(Math.max(hour, from) + pageHours * hourMs, whole.end);
      await addHours(from, hour);
      await nextTurn();
    }
    await addRecords(Math.max(query.from, whole.end), query.to);
    return folder.buckets();
  }

  return (query: AggregateQuery): Promise<readonly MetricBucket[]> =>
    enter(async () => {
      const device = await look(() => numbers.find(query.deviceId));
      return device === undefined ? [] : aggregate(query, device);
    });
}
