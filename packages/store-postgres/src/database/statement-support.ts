import type { Logger } from "@device-gateway/core/store";
import { isStatementLost } from "./busy-retry.js";

/**
 * Whether connections keep prepared statements. Behind a pooler in transaction mode they may not.
 */
export interface StatementSupport {
  readonly isEnabled: boolean;
  /**
   * Returns whether the error says that a prepared statement was lost. If so, no statement is
   * prepared from now on, and the call may be repeated.
   */
  disableOn(error: unknown): boolean;
}

export function createStatementSupport(logger: Logger | undefined): StatementSupport {
  let isEnabled = true;
  return {
    get isEnabled() {
      return isEnabled;
    },
    disableOn(error) {
      if (!isStatementLost(error)) return false;
      if (isEnabled)
        logger?.info(
          { err: error },
          "Prepared statements do not work here; the store stops using them",
        );
      isEnabled = false;
      return true;
    },
  };
}
