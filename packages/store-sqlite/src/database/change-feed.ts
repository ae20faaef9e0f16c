import { type ChangeFeed, type ChangesOutcome, toFeedChanges } from "@device-gateway/core/store";
import type { Connection } from "./connection.js";
import type { Database } from "./database.js";

interface Ends {
  /** `pruned` is the highest deleted id, `newest` the highest id ever assigned. */
  readonly pruned: number;
  readonly newest: number;
}

/** SQLite runs one writer at a time, so ids ascend in commit order. */
export function createChangeFeed({ database, read, write }: Connection): ChangeFeed {
  const readEnds = database.prepare<[], Ends>(
    `SELECT (SELECT up_to FROM pruned_changes) AS pruned,
       ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'changes'), 0) AS newest`,
  );
  const readAfter = database
    .prepare<[number], string>("SELECT DISTINCT device_id FROM changes WHERE id > ?")
    .pluck();
  const prune = database
    .prepare<[number, number], number>(
      `DELETE FROM changes
       WHERE id IN (SELECT id FROM changes WHERE at < ? ORDER BY at, id LIMIT ?) RETURNING id`,
    )
    .pluck();
  const remember = database.prepare<[number]>("UPDATE pruned_changes SET up_to = max(up_to, ?)");

  // One transaction, so that both statements read the same snapshot.
  const since = database.transaction((cursor: string | null): ChangesOutcome => {
    const { pruned, newest } = readEnds.get() as Ends;
    const seen = cursor === null ? Number.NaN : Number(cursor);
    // A cursor above the newest id comes from before a backup was restored.
    const known = seen >= pruned && seen <= newest;
    if (!known) return { kind: "reset", cursor: String(newest) };
    return toFeedChanges(String(newest), readAfter.all(seen));
  });

  return {
    since: (cursor) => read(() => since(cursor)),

    prune: ({ before, limit }) =>
      write(() => {
        const ids = prune.all(before, limit);
        for (const id of ids) remember.run(id);
        return ids.length;
      }),
  };
}

/** Prepares the insert into the change feed. Run it in the transaction that makes the change. */
export function prepareChangeWriter(database: Database): (deviceId: string, at: number) => void {
  const insert = database.prepare<[string, number]>(
    "INSERT INTO changes (device_id, at) VALUES (?, ?)",
  );
  return (deviceId, at) => void insert.run(deviceId, at);
}
