import { chmod } from "node:fs/promises";
import { join } from "node:path";
import type { BetterAuthOptions } from "better-auth";
import Sqlite from "better-sqlite3";

export interface AccountDatabase {
  /** What better-auth takes: a handle of better-sqlite3, or a `Pool` of pg. */
  readonly handle: NonNullable<BetterAuthOptions["database"]>;
  close(): Promise<void>;
}

/**
 * Opens the accounts' own database beside the gateway's: the gateway knows nothing of accounts,
 * and its schema is its own. For Postgres, give a `Pool` instead.
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
