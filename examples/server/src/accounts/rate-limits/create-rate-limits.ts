import type { AccountDatabase } from "../database/account-database.js";
import { createPostgresRateLimits } from "./postgres-rate-limits.js";
import { createRateLimitStorage, type RateLimitStorage } from "./rate-limit-storage.js";

/** Rules that allow at most this many requests limit guesses and mails. The others protect a server from floods. */
const mostCountedTogether = 10;

export interface RateLimits extends RateLimitStorage {
  /**
   * Creates the table, unless it exists, and tries it.
   * @throws the error of the database, if the role has no right to do this.
   */
  prepare(): Promise<void>;
  /** Deletes counts whose windows are over. */
  removeOld(): Promise<void>;
}

/**
 * Creates the rate limits of the accounts. On Postgres, all servers count the requests of strict rules together. Requests
 * that this server's own count refuses cost no query. On SQLite, which has one server, only that count exists, and no
 * refused guess is written to the disk.
 */
export function createRateLimits(database: AccountDatabase): RateLimits {
  const own = createRateLimitStorage();
  const { handle } = database;
  if (!("dialect" in handle)) return { ...own, async prepare() {}, async removeOld() {} };
  const together = createPostgresRateLimits(handle, database);
  return {
    ...together,
    async consume(key, rule) {
      const outcome = await own.consume(key, rule);
      return outcome.allowed && rule.max <= mostCountedTogether
        ? together.consume(key, rule)
        : outcome;
    },
  };
}
