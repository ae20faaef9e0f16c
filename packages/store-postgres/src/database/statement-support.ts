import type { Logger } from "@device-gateway/core/store";
import { isNotKept } from "./busy-retry.js";

/** Whether connections keep statements. Behind a pooler that lends them by the transaction they may not. */
export interface StatementSupport {
  readonly isOn: boolean;
  /** Whether an error says that a statement was not kept where it ran: from then on none is. It may run again. */
  endsAt(error: unknown): boolean;
}

export function createStatementSupport(logger: Logger | undefined): StatementSupport {
  let isOn = true;
  return {
    get isOn() {
      return isOn;
    },
    endsAt(error) {
      if (!isNotKept(error)) return false;
      if (isOn) logger?.info({ err: error }, "Statements can't be kept here: from now on none is");
      isOn = false;
      return true;
    },
  };
}
