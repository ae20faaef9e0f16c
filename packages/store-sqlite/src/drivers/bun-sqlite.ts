import type { SqliteDriver } from "../database/database.js";
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
  // SQLite would block the event loop while it waits for a lock.
  database.pragma("busy_timeout = 0");
  return database;
};
