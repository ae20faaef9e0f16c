import { Kysely, sql } from "kysely";
import type { PostgresHandle } from "../database/account-database.js";
import type { RateLimitStorage } from "./rate-limit-storage.js";

/**
 * Creates the storage of rate limits that all servers of a Postgres count together, in better-auth's table `rateLimit`. A
 * client may send `max` requests until it has sent none for a whole window. One statement decides, with the clock of the
 * database.
 */
export function createPostgresRateLimits({
  dialect,
  schemaName,
}: Pick<PostgresHandle, "dialect" | "schemaName">): RateLimitStorage {
  const database = new Kysely<unknown>({ dialect });
  const table = sql.table(`${schemaName}.rateLimit`);
  const now = sql`(extract(epoch FROM clock_timestamp()) * 1000)::bigint`;
  return {
    async consume(key, { window, max }) {
      // A time far in the future is from before the clock was set back.
      const isOver = sql`abs(excluded."lastRequest" - kept."lastRequest") >= ${window * 1_000}`;
      const { rows } = await sql`
        INSERT INTO ${table} AS kept (id, key, count, "lastRequest")
        VALUES (gen_random_uuid(), ${key}, 1, ${now})
        ON CONFLICT (key) DO UPDATE
        SET count = CASE WHEN ${isOver} THEN 1 ELSE kept.count + 1 END,
          "lastRequest" = excluded."lastRequest"
        WHERE ${isOver} OR kept.count < ${max}
        RETURNING 1`.execute(database);
      return rows.length === 1
        ? { allowed: true, retryAfter: null }
        : { allowed: false, retryAfter: window };
    },
  };
}
