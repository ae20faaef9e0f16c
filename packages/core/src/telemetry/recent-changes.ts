import type { OtaStatus } from "../ota/update/ota-status.js";

/** Most changes of the OTA status that are taken from one request. */
export const maxOtaChanges = 6;

/** What the record of this index among those that are stored says in its `ota` section. */
export interface ReportedStatus {
  readonly record: number;
  readonly status: OtaStatus;
}

/** The latest statuses of a request, and how many changes they make. */
export interface RecentChanges {
  readonly statuses: readonly ReportedStatus[];
  readonly changes: number;
}

/**
 * Takes the statuses from the end of a request back to its sixth-last change. A status that repeats the one before
 * stays: the store decides which of them are new. `known` is the status that the device reported before, if any.
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
