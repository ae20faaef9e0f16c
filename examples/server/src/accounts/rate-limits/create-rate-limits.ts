import type { AccountDatabase } from "../database/account-database.js";
import { createPostgresRateLimits } from "./postgres-rate-limits.js";
import { createRateLimitStorage } from "./rate-limit-storage.js";
import type { RateLimits } from "./rate-limits.js";

/** Rules that allow at most this many requests limit guesses and mails. The others protect a server from floods. */
const mostCountedTogether = 10;

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
