import type { Connection } from "../connection/connection.js";
import { toSchema } from "../schema-name.js";
import { type Session, statement } from "../statement.js";
import type { FeedPoll, PollFeed } from "./change-feed.js";
import { endsOfEach } from "./commit-order.js";
import { lineage } from "./lineage.js";

interface Asking {
  readonly seen: number | null;
  /** Polls this schema only. */
  readonly alone: PollFeed;
  resolve(poll: FeedPoll): void;
  reject(error: unknown): void;
}

/** Returns the poll of one schema, by its place. `alone` polls this schema only. */
export type JoinPoll = (place: number, alone: PollFeed) => PollFeed;

const codeOf = (error: unknown): string => {
  const { cause } = error as { readonly cause?: { readonly code?: string } };
  return cause?.code ?? "";
};
/** Whether a table or schema is missing, because it moves to another database. The other schemas can be polled. */
const isMissing = (error: unknown): boolean => /^(42P01|3F000)$/.test(codeOf(error));
/** Whether a statement waited for too long, which a locked table of one schema can cause. */
const isTooSlow = (error: unknown): boolean => /^(55P03|57014)$/.test(codeOf(error));

/** After a failure that one schema may have caused, each is polled alone for this long, in milliseconds. */
const aloneMs = 5_000;

/** Creates the statements that read the feeds of all schemas. */
function createStatements(schemas: readonly string[]) {
  const readEnds = statement<object, Omit<FeedPoll, "after"> & { place: number }>(
    `SELECT ends.*, ${lineage} AS lineage FROM (${endsOfEach("transition_ids", schemas)}) AS ends`,
  );
  const changesOf = (schema: string, place: number) =>
    toSchema(schema)(
      `SELECT ${place} AS place, (SELECT up_to FROM device_gateway.pruned_changes) AS pruned,
         array(SELECT DISTINCT device_id FROM device_gateway.changes
           WHERE id > (@seen::bigint[])[${place + 1}]) AS "deviceIds"`,
    );
  const readAfter = statement<
    { seen: readonly (number | null)[] },
    NonNullable<FeedPoll["after"]> & { place: number }
  >(
    `SELECT changes.*, ${lineage} AS lineage FROM (${schemas.map(changesOf).join(" UNION ALL ")}) AS changes`,
  );
  return { readEnds, readAfter };
}

/**
 * Reads the change feeds of several schemas of one database with the same two statements, so that a gateway over many cells
 * polls a database as often as one over a single schema. It joins the polls that begin in the same turn of the event loop.
 */
export function createCommonPoll(
  { read }: Pick<Connection, "read">,
  schemas: readonly string[],
): JoinPoll {
  const { readEnds, readAfter } = createStatements(schemas);
  let waiting = new Map<number, Asking>();
  let aloneUntil = Number.NEGATIVE_INFINITY;

  async function readAll(
    session: Session,
    asked: ReadonlyMap<number, Asking>,
  ): Promise<readonly FeedPoll[]> {
    const ends = await readEnds(session, {});
    const seen = schemas.map((_, place) => asked.get(place)?.seen ?? null);
    const needsChanges = seen.some((each) => each !== null);
    const after = needsChanges ? await readAfter(session, { seen }) : [];
    return schemas.map((_, place) => ({
      newest: 0,
      settled: 0,
      lineage: null,
      ...ends.find((row) => row.place === place),
      after: after.find((row) => row.place === place),
    }));
  }

  async function flush(): Promise<void> {
    // Two readers of one schema may have flushed it already.
    if (waiting.size === 0) return;
    const asked = waiting;
    waiting = new Map();
    try {
      const polls = await read((session) => readAll(session, asked));
      for (const [place, { resolve }] of asked) resolve(polls[place] as FeedPoll);
    } catch (error) {
      if (isMissing(error) || isTooSlow(error)) aloneUntil = performance.now() + aloneMs;
      for (const { seen, alone, resolve, reject } of asked.values()) {
        if (isMissing(error)) alone(seen).then(resolve, reject);
        else reject(error);
      }
    }
  }

  const poll = (place: number, seen: number | null, alone: PollFeed) =>
    new Promise<FeedPoll>((resolve, reject) => {
      // Another reader of the same schema has its own cursor.
      if (waiting.has(place)) void flush();
      if (waiting.size === 0) queueMicrotask(() => void flush());
      waiting.set(place, { seen, alone, resolve, reject });
    });

  return (place, alone) => (seen) =>
    performance.now() < aloneUntil ? alone(seen) : poll(place, seen, alone);
}
