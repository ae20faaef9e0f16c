import { chmod } from "node:fs/promises";
import { join } from "node:path";
import Sqlite from "better-sqlite3";

export interface AccountDatabase {
  /** What better-auth takes. */
  readonly handle: Sqlite.Database;
  close(): Promise<void>;
}

/**
 * Opens the accounts' own database beside the gateway's: the gateway knows nothing of accounts,
 * and its schema is its own. A `Pool` of pg would do as
 * well: better-auth takes either.
 */
export async function openAccountDatabase(folder: string): Promise<AccountDatabase> {
  const file = join(folder, "accounts.db");
  const handle = new Sqlite(file);
  await chmod(file, 0o600);
  handle.pragma("journal_mode = WAL");
  handle.pragma("synchronous = FULL");
  return {
    handle,
    async close() {
      handle.close();
    },
  };
}
