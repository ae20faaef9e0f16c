import type { Database, SqliteDriver } from "../database/database.js";
import { adaptDatabase, type NativeDatabase } from "./adapt-database.js";

interface BunSqlite {
  readonly Database: new (
    file: string,
    options: { readonly create: boolean; readonly readwrite: boolean; readonly strict: boolean },
  ) => NativeDatabase;
}

// In a variable, because the module exists only in Bun.
const moduleName = "bun:sqlite";

/**
 * Checks that a statement can be run again after a loop over its rows that ended early. In older versions of Bun it stays
 * busy (https://github.com/oven-sh/bun/issues/32918).
 */
function checkIteration(database: Database): void {
  const rows = database.prepare<[string], object>("SELECT value FROM json_each(?)");
  try {
    for (let round = 0; round < 2; round++) for (const _ of rows.iterate("[1, 2]")) break;
  } catch (cause) {
    database.close();
    throw new Error("The bun:sqlite of this version of Bun has a bug. Use Bun 1.4.5 or later.", {
      cause,
    });
  }
}

/**
 * The driver for the SQLite that is built into Bun. It needs no native add-on.
 *
 * @example
 * const store = await openSqliteStore({ file: "gateway.db", driver: bunSqlite });
 */
export const bunSqlite: SqliteDriver = async (file) => {
  const { Database } = await (import(moduleName) as Promise<BunSqlite>).catch((cause: unknown) => {
    throw new Error("This runtime has no bun:sqlite. Use Bun, or another driver.", { cause });
  });
  // With `strict`, the parameter @name is taken from the member `name`.
  const database = adaptDatabase(
    new Database(file, { create: true, readwrite: true, strict: true }),
  );
  checkIteration(database);
  // SQLite would block the event loop while it waits for a lock.
  database.pragma("busy_timeout = 0");
  return database;
};
