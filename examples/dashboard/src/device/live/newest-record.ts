import type { TelemetryRecord } from "./use-live.js";

/** Returns when a record was measured, in epoch seconds. */
export const timeOf = (record: TelemetryRecord) => Date.parse(String(record["timestamp"])) / 1000;

/** Returns the record that was measured last. A gateway may send an older one later, for example after an outage. */
export const newestRecord = (records: readonly TelemetryRecord[]): TelemetryRecord | undefined =>
  records.reduce<TelemetryRecord | undefined>(
    (newest, record) => (newest && timeOf(record) < timeOf(newest) ? newest : record),
    undefined,
  );
