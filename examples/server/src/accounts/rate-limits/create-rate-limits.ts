import type { BetterAuthOptions } from "better-auth";
import type { AccountDatabase } from "../database/account-database.js";
import { createPostgresRateLimits } from "./postgres-rate-limits.js";
import { createRateLimitStorage, type RateLimitStorage } from "./rate-limit-storage.js";

/** A rule that allows more requests only protects a server from floods. Stricter ones limit guesses and mails. */
const mostCountedTogether = 10;

/**
 * Creates the rate limits of the accounts. On Postgres, all servers count the requests of strict rules together: sign-in,
 * codes, mails. Requests that this server's own count refuses cost no query. On SQLite, which has one server, only that
 * count exists, and no refused guess is written to the disk.
 */
export function createRateLimits({
  handle,
}: Pick<AccountDatabase, "handle">): Pick<
  NonNullable<BetterAuthOptions["rateLimit"]>,
  "storage" | "customStorage"
> {
  const own = createRateLimitStorage();
  if (!("dialect" in handle)) return { customStorage: own };
  const together = createPostgresRateLimits(handle);
  const customStorage: RateLimitStorage = {
    async consume(key, rule) {
      const outcome = await own.consume(key, rule);
      return outcome.allowed && rule.max <= mostCountedTogether
        ? together.consume(key, rule)
        : outcome;
    },
  };
  // With this, better-auth creates its table, although only `customStorage` uses it.
  return { storage: "database", customStorage };
}
