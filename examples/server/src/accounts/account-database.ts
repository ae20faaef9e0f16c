import type { Database } from "better-sqlite3";
import type { Dialect } from "kysely";
import type { Settings } from "../settings/settings.js";
import { openPostgresAccounts } from "./postgres-accounts.js";
import { openSqliteAccounts } from "./sqlite-accounts.js";

interface PostgresHandle {
  readonly dialect: Dialect;
  readonly type: "postgres";
  readonly schemaName: string;
  readonly transaction: true;
}

export interface AccountDatabase {
  /** What better-auth takes. */
  readonly handle: Database | PostgresHandle;
  /** Lets one of the servers that start at the same time make the tables. */
  makeTables(make: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

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
