import type { ChangeFeed, ChangesOutcome } from "@device-gateway/core/store";
import { endsOf } from "./commit-order.js";
import type { Connection } from "./connection.js";
import type { Session } from "./statement.js";
import { statement } from "./statement.js";

const readEnds = statement<object, { newest: number; settled: number }>(endsOf("transition_ids"));
const readAfter = statement<{ seen: number }, { pruned: number; deviceIds: string[] }>(
  `SELECT (SELECT up_to FROM device_gateway.pruned_changes) AS pruned,
     array(SELECT DISTINCT device_id FROM device_gateway.changes WHERE id > @seen) AS "deviceIds"`,
);
const prune = statement<{ before: number; limit: number }, { count: number }>(
  `WITH old AS MATERIALIZED (
     SELECT id FROM device_gateway.changes WHERE at < @before ORDER BY at, id LIMIT @limit
     FOR UPDATE SKIP LOCKED
   ), gone AS (DELETE FROM device_gateway.changes WHERE id IN (SELECT id FROM old) RETURNING id),
   noted AS (
     UPDATE device_gateway.pruned_changes SET up_to = greatest(up_to, (SELECT max(id) FROM gone))
     WHERE EXISTS (SELECT FROM gone)
   )
   SELECT count(*) AS count FROM gone`,
);

/** Stands for the firmware releases in the column of device ids. No device id is empty. */
export const releasesInFeed = "";

/**
 * A cursor is an id up to which no further change will appear. Later changes are reported at once,
 * and again from the next cursor, so a change never waits for a slower transaction.
 */
export function createChangeFeed({ read, change }: Connection): ChangeFeed {
  return {
    since: (cursor) => read((session) => since(session, cursor)),

    prune: (input) =>
      change(async (session) => {
        const [row] = await prune(session, input);
        return row?.count ?? 0;
      }),
  };
}

async function since(session: Session, cursor: string | null): Promise<ChangesOutcome> {
  const [ends] = await readEnds(session, {});
  const { newest = 0, settled = 0 } = ends ?? {};
  const reset: ChangesOutcome = { kind: "reset", cursor: String(settled) };
  const seen = cursor === null ? Number.NaN : Number(cursor);
  // A cursor above the newest id comes from before a backup was restored.
  if (!(seen >= 0 && seen <= newest)) return reset;
  const [after] = await readAfter(session, { seen });
  // Compare with the value read together with the changes: they may have been pruned just now.
  if (after === undefined || seen < after.pruned) return reset;
  // A transaction that holds its mark but has not taken an id yet must not move the cursor back.
  const next = String(Math.max(seen, settled));
  const deviceIds = after.deviceIds.filter((deviceId) => deviceId !== releasesInFeed);
  const releasesChanged = deviceIds.length < after.deviceIds.length;
  return { kind: "changes", cursor: next, deviceIds, releasesChanged };
}
