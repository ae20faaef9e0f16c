import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { Sqlite } from "../../data/sqlite.js";
import type { AccountDatabase } from "./account-database.js";

/** How often to try, because another server that starts at the same time may create the same table first. */
const maxAttempts = 20;

/** Opens `accounts.db` in a folder. It is a separate file because a SQLite file has one writer at a time. */
export async function openSqliteAccounts(folder: string): Promise<AccountDatabase> {
  const file = join(folder, "accounts.db");
  const handle = new Sqlite(file);
  try {
    await chmod(file, 0o600);
    handle.pragma("journal_mode = WAL");
    handle.pragma("synchronous = FULL");
  } catch (error) {
    handle.close();
    throw error;
  }
  return {
    handle,
    // A lock would block this process's own statements. Instead, a table that another process has just created is an
    // error here, and the next attempt finds it.
    async createTables(create) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await create();
        } catch (error) {
          if (attempt === maxAttempts) throw error;
        }
      }
    },
    async close() {
      handle.close();
    },
  };
}
