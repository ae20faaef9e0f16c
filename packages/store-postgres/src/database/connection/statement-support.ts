import type { Logger } from "@device-gateway/core/store";
import { isStatementLost } from "./store-errors.js";

/**
 * Whether connections keep prepared statements. Behind a pooler in transaction mode they may not.
 */
export interface StatementSupport {
  readonly isEnabled: boolean;
  /** Notes the error of a prepared statement. If the statement was lost, none is prepared from now on. */
  noteFailure(error: unknown): void;
  /**
   * Returns whether this error was noted and says that a prepared statement was lost. The call may then be repeated. The
   * same error of an unprepared statement, or of a statement of the embedder, is final.
   */
  wasLost(error: unknown): boolean;
}

export function createStatementSupport(logger: Logger | undefined): StatementSupport {
  let isEnabled = true;
  const losses = new WeakSet<Error>();
  return {
    get isEnabled() {
      return isEnabled;
    },
    noteFailure(error) {
      if (!(error instanceof Error) || !isStatementLost(error)) return;
      losses.add(error);
      if (isEnabled)
        logger?.info(
          { err: error },
          "Prepared statements do not work here; the store stops using them",
        );
      isEnabled = false;
    },
    wasLost: (error) => error instanceof Error && losses.has(error),
  };
}
