import { Kysely, sql } from "kysely";
import type { AccountDatabase, PostgresHandle } from "../database/account-database.js";
import type { RateLimits } from "./rate-limits.js";

/** Longer than the window of any rule, in seconds. */
const keptFor = 3_600;
const now = sql`extract(epoch FROM clock_timestamp())`;

/**
 * Creates rate limits that all servers of a Postgres count together. A client may send `max` requests until it has sent
 * none for a whole window; `retryAfter` is always the whole window. One statement decides, with the clock of the database.
 * A crash of Postgres empties the table, because it is unlogged: a guess then costs no synced write.
 */
export function createPostgresRateLimits(
  { dialect, schemaName }: PostgresHandle,
  { createTables }: Pick<AccountDatabase, "createTables">,
): RateLimits {
  const database = new Kysely<unknown>({ dialect });
  const table = sql.table(`${schemaName}.request_count`);
  const consume: RateLimits["consume"] = async (key, { window, max }) => {
    // A time far in the future is from before the clock was set back.
    const isOver = sql`abs(excluded.latest - kept.latest) >= ${window}::float8`;
    const { rows } = await sql`
      INSERT INTO ${table} AS kept (key, count, latest) VALUES (${key}, 1, ${now})
      ON CONFLICT (key) DO UPDATE
      SET count = CASE WHEN ${isOver} THEN 1 ELSE kept.count + 1 END, latest = excluded.latest
      WHERE ${isOver} OR kept.count < ${max}
      RETURNING 1`.execute(database);
    return rows.length === 1
      ? { allowed: true, retryAfter: null }
      : { allowed: false, retryAfter: window };
  };
  const removeOld = async () => {
    await sql`DELETE FROM ${table} WHERE latest < ${now} - ${keptFor}::float8`.execute(database);
  };
  return {
    consume,
    removeOld,
    async prepare() {
      const name = `${schemaName}.request_count`;
      const found = await sql<{ exists: boolean }>`
        SELECT to_regclass(${name}) IS NOT NULL AS exists`.execute(database);
      if (found.rows[0]?.exists !== true) {
        await createTables(async () => {
          await sql`CREATE UNLOGGED TABLE IF NOT EXISTS ${table}
            (key text PRIMARY KEY, count integer NOT NULL, latest float8 NOT NULL)`.execute(
            database,
          );
        });
      }
      // A role that lacks a right on the table should learn that now, not at the first sign-in.
      await consume("start", { window: 1, max: 1 });
      await removeOld();
    },
  };
}
