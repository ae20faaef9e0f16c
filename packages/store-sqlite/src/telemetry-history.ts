import {
  bucketStart,
  createBucketFolder,
  createSelector,
  type MetricBucket,
  type MetricSelection,
  type RecordPlace,
  type RecordRange,
  type StoredTelemetryRecord,
} from "@device-gateway/core/store";
import type { Database } from "better-sqlite3";
import type { Connection } from "./connection.js";
import { prepareRecordRows } from "./record-rows.js";
import { prepareRollupRows } from "./rollup-rows.js";
import { hourMs, metricsOf } from "./telemetry-rollup.js";

/** Records that are folded before other requests get their turn. */
const pageSize = 500;

export interface AggregateQuery extends RecordRange {
  readonly intervalMs: number;
  readonly selection: MetricSelection;
}

/** Works out buckets from the hours that are rolled up, and from the records of the others. */
export function createAggregation({ database, enter, look }: Connection) {
  const records = prepareRecordRows(database);
  const rollups = prepareRollupRows(database);
  const unbuilt = prepareUnbuiltHours(database);

  async function fromRecords(query: AggregateQuery): Promise<MetricBucket[]> {
    const { intervalMs, selection, ...range } = query;
    const folder = createBucketFolder(intervalMs, createSelector(selection));
    let after: RecordPlace | null = null;
    for (;;) {
      const place: RecordPlace | null = after;
      const read = () => records.oldestFirst(range, place, pageSize);
      const page: StoredTelemetryRecord[] = await look(read);
      for (const record of page) folder.addSample(record.at, metricsOf(record));
      after = page.at(-1) ?? null;
      if (page.length < pageSize) return folder.buckets();
      await new Promise(setImmediate);
    }
  }

  /** In one look, so that no hour is built between the parts. */
  function fromRollups(query: AggregateQuery, whole: RecordRange): MetricBucket[] {
    const { deviceId, from, to, receivedFrom } = query;
    const isWanted = createSelector(query.selection);
    const folder = createBucketFolder(query.intervalMs, isWanted);
    const addRecords = (start: number, end: number) => {
      if (start >= end) return;
      const range = { deviceId, from: start, to: end, receivedFrom };
      for (const record of records.oldestFirst(range, null, Number.MAX_SAFE_INTEGER)) {
        folder.addSample(record.at, metricsOf(record));
      }
    };
    const open = unbuilt.hours(whole);
    addRecords(from, whole.from);
    let done = whole.from;
    for (const hour of [...open, whole.to]) {
      for (const bucket of rollups.read(deviceId, done, hour)) folder.addBucket(bucket);
      if (hour < whole.to) addRecords(hour, hour + hourMs);
      done = Math.min(hour + hourMs, whole.to);
    }
    addRecords(Math.max(from, whole.to), to);
    return folder.buckets();
  }

  return (query: AggregateQuery): Promise<readonly MetricBucket[]> =>
    enter(() => {
      const { from, to, receivedFrom, intervalMs } = query;
      // A record may be measured up to five minutes after it was received, by the device's clock:
      // from the hour after that on, all that was measured was received late enough.
      const safe = receivedFrom === 0 ? from : Math.max(from, receivedFrom + hourMs);
      const firstHour = bucketStart(safe + hourMs - 1, hourMs);
      const lastHour = bucketStart(to, hourMs);
      if (intervalMs % hourMs !== 0 || firstHour >= lastHour) return fromRecords(query);
      const whole = { ...query, from: firstHour, to: lastHour };
      return look(() => fromRollups(query, whole));
    });
}

function prepareUnbuiltHours(database: Database) {
  const open = database
    .prepare<[RecordRange], number>(
      `SELECT hour FROM telemetry_open_hours
       WHERE device_id = @deviceId AND hour >= @from AND hour < @to`,
    )
    .pluck();
  const beyondWatermark = database
    .prepare<[RecordRange], number>(
      `SELECT at FROM telemetry WHERE device_id = @deviceId
       AND position > (SELECT position FROM telemetry_watermark) AND at >= @from AND at < @to`,
    )
    .pluck();
  return {
    /** Hours of a range with records that are in no roll-up, ascending. */
    hours({ deviceId, from, to, receivedFrom }: RecordRange): number[] {
      const range = { deviceId, from, to, receivedFrom };
      const arrived = beyondWatermark.all(range).map((at) => bucketStart(at, hourMs));
      return [...new Set([...open.all(range), ...arrived])].sort((a, b) => a - b);
    },
  };
}
