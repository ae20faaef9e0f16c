import type { RateLimitStorage } from "./rate-limit-storage.js";

export interface RateLimits extends RateLimitStorage {
  /**
   * Creates the table, unless it exists, and tries it.
   * @throws the error of the database, if the role has no right to do this.
   */
  prepare(): Promise<void>;
  /** Deletes counts whose windows are over. */
  removeOld(): Promise<void>;
}
