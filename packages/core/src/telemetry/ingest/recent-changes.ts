import type { OtaStatus } from "../../ota/update/ota-status.js";

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
 * Returns the statuses from the sixth-last change of a request to its end. A status that repeats the one before it
 * stays, because the store decides which of them are new. `known` is the device's previous status, if any.
 */
export function recentChanges(
  statuses: readonly ReportedStatus[],
  known: string | null,
): RecentChanges {
  let changes = 0;
  let first = statuses.length;
  while (first > 0) {
    const before = statuses[first - 2]?.status.fingerprint ?? known;
    const isChange = statuses[first - 1]?.status.fingerprint !== before;
    if (isChange && changes === maxOtaChanges) break;
    if (isChange) changes += 1;
    first -= 1;
  }
  return { statuses: statuses.slice(first), changes };
}
