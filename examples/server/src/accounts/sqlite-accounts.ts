import { chmod } from "node:fs/promises";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import type { AccountDatabase } from "./account-database.js";

/** How often another server that starts at the same time may have been faster with a table. */
const tries = 20;

/** Opens `accounts.db` in a folder: a file of its own, since one SQLite file has one writer. */
export async function openSqliteAccounts(folder: string): Promise<AccountDatabase> {
  const file = join(folder, "accounts.db");
  const handle = new Sqlite(file);
  await chmod(file, 0o600);
  handle.pragma("journal_mode = WAL");
  handle.pragma("synchronous = FULL");
  return {
    handle,
    // A lock would keep this process's own statements out: what another one makes meanwhile is an
    // error here, and there at the next look.
    async makeTables(make) {
      for (let round = 1; ; round++) {
        try {
          return await make();
        } catch (error) {
          if (round === tries) throw error;
        }
      }
    },
    async close() {
      handle.close();
    },
  };
}
