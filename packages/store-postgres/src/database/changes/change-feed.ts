import { type ChangeFeed, type ChangesOutcome, toFeedChanges } from "@device-gateway/core/store";
import type { Connection } from "../connection/connection.js";
import { countOf, type Session, statement } from "../statement.js";
import { endsOf } from "./commit-order.js";
import { type LineageWatch, lineage, lineageRow, onPrimary } from "./lineage.js";

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

/** The ends of a feed, and then its changes after an id. */
export interface FeedPoll extends Ends {
  /** Undefined without an id. */
  readonly after: After | undefined;
}

/** Reads a feed after an id. Null reads only its ends. */
export type PollFeed = (seen: number | null) => Promise<FeedPoll>;

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

/** Reads the feed of one schema. */
async function pollAlone(session: Session, seen: number | null): Promise<FeedPoll> {
  const [ends = { newest: 0, settled: 0, lineage: null }] = await readEnds(session, {});
  const [after] = seen === null ? [] : await readAfter(session, { seen });
  return { ...ends, after };
}

/**
 * Changes after the cursor are reported at once, and possibly again by the next call, so a change never waits for a
 * slower transaction. Another lineage resets the feed: the server may lack changes that were reported. `join` returns a
 * poll that replaces the feed's own one.
 */
export function createChangeFeed(
  { readStep, runSteps, change }: Connection,
  lineages: LineageWatch,
  join: (alone: PollFeed) => PollFeed = (alone) => alone,
): ChangeFeed {
  const poll = join((seen) => readStep((session) => pollAlone(session, seen)));
  return {
    since: (cursor) => runSteps(() => since(poll, lineages, cursor)),

    prune: (input) => change(async (session) => countOf(await prune(session, input))),
  };
}

async function since(
  poll: PollFeed,
  lineages: LineageWatch,
  cursor: string | null,
): Promise<ChangesOutcome> {
  const { seen, lineage: earlier } = parseCursor(cursor ?? "");
  const hasSeen = cursor !== null && seen >= 0;
  const { newest, settled, after, ...ends } = await poll(hasSeen ? seen : null);
  const current = onPrimary(ends.lineage);
  lineages.see(current);
  const reset: ChangesOutcome = { kind: "reset", cursor: toText(settled, current) };
  // A cursor above the newest id comes from before a backup was restored.
  if (!hasSeen || earlier !== current || seen > newest) return reset;
  // Compare with the values read together with the changes: they may have been pruned just now, or a pooler may have
  // sent the statement to another server. The next call then finds another lineage than the cursor's.
  if (after?.lineage !== current || seen < after.pruned) return reset;
  // A transaction that holds its mark but has not taken an id yet must not move the cursor back.
  return toFeedChanges(toText(Math.max(seen, settled), current), after.deviceIds);
}
