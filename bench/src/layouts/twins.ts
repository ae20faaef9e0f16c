import type { Database } from "better-sqlite3";
import type { BenchRecord } from "../fleet.js";

/** The part of a digest that is kept: it only tells apart one device's records of one instant. */
export const shortHash = (contentHash: string | null): Buffer | null =>
  contentHash === null ? null : Buffer.from(contentHash, "base64url").subarray(0, 16);

/**
 * Finds a record's duplicate by the index that history needs anyway: writers hold the lock from
 * their beginning, so what is not there now does not come in between.
 */
export function prepareTwinSearch(database: Database): (record: BenchRecord) => boolean {
  const find = database.prepare<[number, number, Buffer, number | null]>(
    `SELECT 1 FROM telemetry
     WHERE device = ? AND at = ? AND content_hash = ? AND seq IS ?`,
  );
  return ({ device, at, contentHash, seq }) => {
    const hash = shortHash(contentHash);
    return hash !== null && find.get(device, at, hash, seq) !== undefined;
  };
}

/** Removes a prefix of the arrival order. */
export function prepareRemoval(database: Database): (before: number, limit: number) => number {
  const remove = database.prepare<[number, number]>(
    `DELETE FROM telemetry WHERE position IN
       (SELECT position FROM telemetry ORDER BY position LIMIT ?) AND received_at < ?`,
  );
  return (before, limit) => remove.run(limit, before).changes;
}
