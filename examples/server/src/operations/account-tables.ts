import { existsSync } from "node:fs";
import { join } from "node:path";
import { Kysely, SqliteDialect } from "kysely";
import type { AccountDatabase } from "../accounts/account-database.js";
import {
  type AccountDatabaseSettings,
  openAccountDatabase,
} from "../accounts/open-account-database.js";

/** What commands use of the accounts' tables, which better-auth makes. */
interface Tables {
  readonly user: {
    readonly id: string;
    readonly email: string;
    /** 0 or 1 on SQLite. */
    readonly emailVerified: boolean | 0 | 1;
  };
  readonly session: { readonly id: string; readonly userId: string };
  /** Links in mails that nobody has followed yet. */
  readonly verification: { readonly id: string };
}
export type AccountTables = Kysely<Tables>;

function toTables({ handle }: AccountDatabase): AccountTables {
  return "dialect" in handle
    ? new Kysely<Tables>({ dialect: handle.dialect }).withSchema(handle.schemaName)
    : new Kysely<Tables>({ dialect: new SqliteDialect({ database: handle }) });
}

/**
 * Uses the accounts of the settings, beside a running server or without one.
 * @throws {Error} when they are not there or can't be used, with a sentence that says what to do.
 */
export async function useAccountTables<Result>(
  settings: AccountDatabaseSettings,
  use: (tables: AccountTables) => Promise<Result>,
): Promise<Result> {
  const { DATA_DIR, DATABASE_URL } = settings;
  // Opening the file would create it.
  if (DATABASE_URL === undefined && !existsSync(join(DATA_DIR, "accounts.db"))) {
    throw new Error(
      `There is no accounts.db in ${DATA_DIR}. Name its folder with DATA_DIR, or the database with DATABASE_URL.`,
    );
  }
  const place = DATABASE_URL === undefined ? `accounts.db in ${DATA_DIR}` : "DATABASE_URL";
  let database: AccountDatabase | undefined;
  try {
    database = await openAccountDatabase(settings);
    return await use(toTables(database));
  } catch (error) {
    const reason = (error as Error).message.replace(/\.$/, "");
    throw new Error(
      `The accounts can't be used: ${reason}. Check that ${place} is the server's, and can be read and written.`,
      { cause: error },
    );
  } finally {
    await database?.close();
  }
}
