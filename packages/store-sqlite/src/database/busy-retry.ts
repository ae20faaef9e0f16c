import { StoreUnavailableError } from "@device-gateway/core/store";
import Database from "better-sqlite3";

/** Another process has the lock that is needed, or moved on since the snapshot was taken. */
const busy = /^SQLITE_(BUSY|LOCKED|PROTOCOL)/;
/** The disk is full, failing or read-only, or memory ran out: none of it is the caller's doing. */
const unavailable = /^SQLITE_(BUSY|LOCKED|PROTOCOL|FULL|IOERR|READONLY|CANTOPEN|NOMEM)/;

const codeOf = (error: unknown): string =>
  error instanceof Database.SqliteError ? error.code : "";

/**
 * Runs `work` at once, and again every millisecond while another process has the lock, until
 * `deadline` (of `performance.now()`). Then, and when the disk fails, rejects with
 * `StoreUnavailableError`; the event loop runs on meanwhile.
 */
export async function retryWhileBusy<Outcome>(
  work: () => Outcome,
  deadline: number,
): Promise<Outcome> {
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!busy.test(codeOf(error)) || performance.now() >= deadline) throw toStoreError(error);
    }
    // No longer pause: a process that writes without end leaves the lock free for moments only.
    await new Promise<void>((resolve) => setTimeout(resolve, 1));
  }
}

/** Names what may pass by itself as `StoreUnavailableError`; other errors stay as they are. */
export function toStoreError(error: unknown): unknown {
  const code = codeOf(error);
  if (!unavailable.test(code)) return error;
  const message = busy.test(code)
    ? "Another process keeps the database locked."
    : `The database can't be used now: ${(error as Error).message} (${code}).`;
  return new StoreUnavailableError(message, { cause: error });
}
