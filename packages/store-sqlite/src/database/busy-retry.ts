import { StoreUnavailableError } from "@device-gateway/core/store";
import { sqliteCodeOf } from "../drivers/sqlite-code.js";

/** Another process holds the lock, or wrote after this transaction's snapshot was taken. */
const busy = /^SQLITE_(BUSY|LOCKED|PROTOCOL)/;
/**
 * The lock is busy, the disk is full, failing or read-only, or there is no memory. The caller is
 * not at fault.
 */
const unavailable = /^SQLITE_(BUSY|LOCKED|PROTOCOL|FULL|IOERR|READONLY|CANTOPEN|NOMEM)/;

/**
 * Runs `work`, and repeats it every millisecond while another process holds the lock, until
 * `deadline` (on the clock of `performance.now()`). The event loop continues meanwhile.
 * @throws {StoreUnavailableError} if the lock is not free in time, or the disk fails.
 */
export async function retryWhileBusy<Outcome>(
  work: () => Outcome,
  deadline: number,
): Promise<Outcome> {
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!busy.test(sqliteCodeOf(error)) || performance.now() >= deadline)
        throw toStoreError(error);
    }
    // A process that writes continuously frees the lock only for moments. A longer pause would miss
    // them.
    await new Promise<void>((resolve) => setTimeout(resolve, 1));
  }
}

/** Turns temporary failures into a `StoreUnavailableError`. Returns other errors unchanged. */
export function toStoreError(error: unknown): unknown {
  const code = sqliteCodeOf(error);
  if (!unavailable.test(code)) return error;
  const message = busy.test(code)
    ? "Another process holds the lock of the database. Try again."
    : `The database is unavailable: ${(error as Error).message} (${code}).`;
  return new StoreUnavailableError(message, { cause: error });
}
