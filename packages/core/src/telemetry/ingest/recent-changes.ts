import { type OtaStatus, parseOtaStatus } from "../../ota/update/ota-status.js";
import type { TelemetryRecord } from "../telemetry-store.js";

/** Largest number of changes of the OTA status that one request can make. */
export const maxOtaChanges = 6;

/** The OTA status of a record. `record` is its index among the accepted records. */
export interface ReportedStatus {
  readonly record: number;
  readonly status: OtaStatus;
}

/** The latest OTA statuses of a request, and how many changes they make. */
export interface RecentChanges {
  readonly statuses: readonly ReportedStatus[];
  readonly changes: number;
}

/**
 * Returns the OTA statuses from the sixth-last change of a request to its end. A status that repeats the one before it
 * stays, because the store decides which of them are new. `known` is the device's previous status, if any. The `ota`
 * sections before the seventh-last change are not parsed.
 */
export function recentChanges(
  records: readonly Pick<TelemetryRecord, "value">[],
  known: string | null,
): RecentChanges {
  const statuses: ReportedStatus[] = [];
  let changes = 0;
  let later: ReportedStatus | undefined;
  for (let record = records.length - 1; record >= 0; record--) {
    const status = parseOtaStatus(records[record]?.value["ota"]);
    if (status === null) continue;
    const isChange = later !== undefined && later.status.fingerprint !== status.fingerprint;
    if (isChange) changes += 1;
    if (changes === maxOtaChanges) return { statuses: statuses.reverse(), changes };
    later = { record, status };
    statuses.push(later);
  }
  if (later !== undefined && later.status.fingerprint !== known) changes += 1;
  return { statuses: statuses.reverse(), changes };
}
