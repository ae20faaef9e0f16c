import type { ChangeFeed, ChangesOutcome } from "@device-gateway/core/store";
import { endsOf } from "./commit-order.js";
import type { Connection } from "./connection.js";
import { type LineageWatch, lineage, lineageRow, onPrimary } from "./lineage.js";
import type { Session } from "./statement.js";
import { statement } from "./statement.js";

interface Ends {
  readonly newest: number;
  readonly settled: number;
  readonly lineage: string | null;
}

interface After {
  readonly lineage: string | null;
  readonly pruned: number;
  readonly deviceIds: readonly string[];
}

const readEnds = statement<object, Ends>(
  `SELECT ends.*, ${lineage} AS lineage FROM (${endsOf("transition_ids")}) AS ends`,
);
const readAfter = statement<{ seen: number }, After>(
  `SELECT here.lineage, (SELECT up_to FROM device_gateway.pruned_changes) AS pruned,
     array(SELECT DISTINCT device_id FROM device_gateway.changes WHERE id > @seen) AS "deviceIds"
   FROM ${lineageRow} AS here`,
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

/** A cursor: an id up to which no further change will appear, and the lineage in which this holds. */
interface Cursor {
  readonly seen: number;
  readonly lineage: string | undefined;
}

const toText = (seen: number, found: string): string => `${seen}@${found}`;

function parseCursor(text: string): Cursor {
  const [seen = "", found] = text.split("@");
  return { seen: Number(seen), lineage: found };
}

/**
 * Later changes than the cursor's are reported at once, and again from the next cursor, so a change never waits for a
 * slower transaction. Another lineage resets the feed: the server may lack changes that were reported.
 */
export function createChangeFeed({ read, change }: Connection, lineages: LineageWatch): ChangeFeed {
  return {
    since: (cursor) => read((session) => since(session, lineages, cursor)),

    prune: (input) =>
      change(async (session) => {
        const [row] = await prune(session, input);
        return row?.count ?? 0;
      }),
  };
}

async function since(
  session: Session,
  lineages: LineageWatch,
  cursor: string | null,
): Promise<ChangesOutcome> {
  const [ends] = await readEnds(session, {});
  const { newest = 0, settled = 0 } = ends ?? {};
  const current = onPrimary(ends?.lineage ?? null);
  lineages.see(current);
  const reset: ChangesOutcome = { kind: "reset", cursor: toText(settled, current) };
  if (cursor === null) return reset;
  const { seen, lineage: earlier } = parseCursor(cursor);
  // A cursor above the newest id comes from before a backup was restored.
  if (earlier !== current || !(seen >= 0 && seen <= newest)) return reset;
  const [after] = await readAfter(session, { seen });
  // Compare with the values read together with the changes: they may have been pruned just now, or a pooler may have
  // sent the statement to another server. The next call then finds another lineage than the cursor's.
  if (after?.lineage !== current || seen < after.pruned) return reset;
  // A transaction that holds its mark but has not taken an id yet must not move the cursor back.
  const next = toText(Math.max(seen, settled), current);
  const deviceIds = after.deviceIds.filter((deviceId) => deviceId !== releasesInFeed);
  const releasesChanged = deviceIds.length < after.deviceIds.length;
  return { kind: "changes", cursor: next, deviceIds, releasesChanged };
}
