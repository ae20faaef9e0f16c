import { existsSync } from "node:fs";
import { join } from "node:path";
import { Kysely, SqliteDialect } from "kysely";
import type { AccountDatabase } from "../accounts/database/account-database.js";
import {
  type AccountDatabaseSettings,
  openAccountDatabase,
} from "../accounts/database/open-account-database.js";
import { reasonOf } from "../reason-of.js";

/** The columns that commands use of better-auth's tables. */
interface Tables {
  readonly user: {
    readonly id: string;
    readonly email: string;
    /** 0 or 1 on SQLite. */
    readonly emailVerified: boolean | 0 | 1;
    /** Null or 0 without a second factor. */
    readonly twoFactorEnabled: boolean | 0 | 1 | null;
  };
  readonly session: {
    readonly id: string;
    readonly userId: string;
    readonly createdAt: string;
    readonly updatedAt: string;
    readonly expiresAt: string;
  };
  readonly twoFactor: {
    readonly id: string;
    readonly userId: string;
    /** The time step of the code that turned the factor on. */
    readonly firstStep: number;
  };
  /** Unused links in mails. */
  readonly verification: {
    readonly id: string;
    readonly value: string;
    readonly expiresAt: string;
  };
}
export type AccountTables = Kysely<Tables>;

export function toAccountTables({ handle }: AccountDatabase): AccountTables {
  return "dialect" in handle
    ? new Kysely<Tables>({ dialect: handle.dialect }).withSchema(handle.schemaName)
    : new Kysely<Tables>({ dialect: new SqliteDialect({ database: handle }) });
}

/** Begins a query for the account of an e-mail address. better-auth stores addresses in lower case. */
export const selectAccount = (tables: AccountTables, email: string) =>
  tables.selectFrom("user").where("email", "=", email.toLowerCase());

/** Says that an e-mail address has no account. */
export const describeNoAccount = (email: string): string =>
  `There is no account with the address ${email}.`;

/**
 * Opens the accounts' database, calls `use` and closes it. A server may be running.
 * @throws {Error} if the database is missing or cannot be used, with a message that says what to do.
 */
export async function useAccountDatabase<Result>(
  settings: AccountDatabaseSettings,
  use: (database: AccountDatabase) => Promise<Result>,
): Promise<Result> {
  const { DATA_DIR, DATABASE_URL } = settings;
  // Opening the file would create it.
  if (DATABASE_URL === undefined && !existsSync(join(DATA_DIR, "accounts.db"))) {
    throw new Error(
      `There is no accounts.db in ${DATA_DIR}. Set DATA_DIR to its folder, or DATABASE_URL to the database.`,
    );
  }
  const place = DATABASE_URL === undefined ? `accounts.db in ${DATA_DIR}` : "DATABASE_URL";
  let database: AccountDatabase | undefined;
  try {
    database = await openAccountDatabase(settings);
    return await use(database);
  } catch (error) {
    throw new Error(
      `The accounts cannot be used: ${reasonOf(error)}. Check that ${place} is the server's and is readable and writable.`,
      { cause: error },
    );
  } finally {
    await database?.close();
  }
}

/**
 * Like `useAccountDatabase`, with the tables.
 * @throws {Error} if the database is missing or cannot be used, with a message that says what to do.
 */
export const useAccountTables = <Result>(
  settings: AccountDatabaseSettings,
  use: (tables: AccountTables) => Promise<Result>,
): Promise<Result> => useAccountDatabase(settings, (database) => use(toAccountTables(database)));
