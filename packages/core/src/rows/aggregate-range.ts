import { hourMs } from "../shared/durations.js";
import { bucketStart } from "../telemetry/interval.js";
import type { AggregateQuery } from "../telemetry/telemetry-store.js";

/** Bytes of records that are read at once, to be unpacked in one turn of the event loop. It takes some milliseconds. */
export const bytesPerTurn = 100_000;
/** The overhead of a record, expressed in bytes. */
export const recordBytes = 400;

/** The parts of a range that a store aggregates. Ranges go from `from` (inclusive) to `to` (exclusive). */
export interface RangeReader {
  addRecords(from: number, to: number): Promise<void>;
  /** Adds whole hours, from roll-ups where they exist. */
  addHours(from: number, to: number): Promise<void>;
  /** Returns the first hour with data that is not before `hour`. */
  firstHourFrom(hour: number): Promise<number | undefined>;
  /** Hours that `addHours` takes at once. */
  readonly pageHours: number;
}

/**
 * Returns the whole hours of a range that roll-ups can answer: from `first` (inclusive) to `end`
 * (exclusive).
 */
function wholeHours({ from, to, receivedFrom, intervalMs }: AggregateQuery) {
  if (intervalMs % hourMs !== 0) return undefined;
  // A record's timestamp may be five minutes later than its receipt. So a record that was measured an hour or more
  // after `receivedFrom` was also received after it.
  const safe = receivedFrom === 0 ? from : Math.max(from, receivedFrom + hourMs);
  const first = bucketStart(safe + hourMs - 1, hourMs);
  const end = bucketStart(to, hourMs);
  return first < end ? { first, end } : undefined;
}

/**
 * Aggregates a range: whole hours from roll-ups, and the parts before and after them from records.
 *
 * @example
 * const aggregator = createBucketAggregator(query.intervalMs);
 * await aggregateRange(query, createReader(session, aggregator)); // a RangeReader over your tables
 */
export async function aggregateRange(query: AggregateQuery, reader: RangeReader): Promise<void> {
  const whole = wholeHours(query);
  if (whole === undefined) return reader.addRecords(query.from, query.to);
  await reader.addRecords(query.from, whole.first);
  for (let hour = whole.first; hour < whole.end; ) {
    // Skip hours without data, such as those before the first record.
    const from = await reader.firstHourFrom(hour);
    if (from === undefined || from >= whole.end) break;
    hour = Math.min(Math.max(hour, from) + reader.pageHours * hourMs, whole.end);
    await reader.addHours(from, hour);
  }
  await reader.addRecords(Math.max(query.from, whole.end), query.to);
}
