import type { ChangesOutcome } from "./change-feed.js";

/** Stands for the firmware releases among the device ids of a change feed. No device id is empty. */
export const releasesInFeed = "";

/**
 * Returns the outcome with the ids that a change feed has after the caller's cursor, and the cursor to continue from.
 *
 * @example
 * return toFeedChanges(String(newest), idsAfter.all(seen));
 */
export function toFeedChanges(cursor: string, ids: readonly string[]): ChangesOutcome {
  const deviceIds = ids.filter((id) => id !== releasesInFeed);
  return { kind: "changes", cursor, deviceIds, releasesChanged: deviceIds.length < ids.length };
}
