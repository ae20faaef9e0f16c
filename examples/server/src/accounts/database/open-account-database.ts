import type { Settings } from "../../settings/settings.js";
import type { AccountDatabase } from "./account-database.js";
import { openPostgresAccounts } from "./postgres-accounts.js";
import { openSqliteAccounts } from "./sqlite-accounts.js";

export type AccountDatabaseSettings = Pick<Settings, "DATA_DIR" | "DATABASE_URL">;

/** Opens the accounts' tables. They are separate from the gateway's tables, which know no accounts. */
export async function openAccountDatabase({
  DATA_DIR,
  DATABASE_URL,
}: AccountDatabaseSettings): Promise<AccountDatabase> {
  return DATABASE_URL === undefined
    ? openSqliteAccounts(DATA_DIR)
    : openPostgresAccounts(DATABASE_URL);
}
