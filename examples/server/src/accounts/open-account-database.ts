import type { Settings } from "../settings/settings.js";
import type { AccountDatabase } from "./account-database.js";
import { openPostgresAccounts } from "./postgres-accounts.js";
import { openSqliteAccounts } from "./sqlite-accounts.js";

export type AccountDatabaseSettings = Pick<Settings, "DATA_DIR" | "DATABASE_URL">;

/** Opens the accounts' own tables, beside the gateway's, which know nothing of accounts. */
export async function openAccountDatabase({
  DATA_DIR,
  DATABASE_URL,
}: AccountDatabaseSettings): Promise<AccountDatabase> {
  return DATABASE_URL === undefined
    ? openSqliteAccounts(DATA_DIR)
    : openPostgresAccounts(DATABASE_URL);
}
