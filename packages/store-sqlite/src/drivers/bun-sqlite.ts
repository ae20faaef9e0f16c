import type { SqliteDriver } from "../database/database.js";
import { adaptDatabase, type NativeDatabase } from "./adapt-database.js";

interface BunSqlite {
  readonly Database: new (
    file: string,
    options: { readonly create: boolean; readonly readwrite: boolean; readonly strict: boolean },
  ) => NativeDatabase;
}

// Only Bun knows the module.
const moduleName = "bun:sqlite";

/** The driver for the SQLite that is built into Bun. It needs no native add-on. */
export const bunSqlite: SqliteDriver = async (file) => {
  const { Database } = await (import(moduleName) as Promise<BunSqlite>).catch((cause: unknown) => {
    throw new Error("This runtime has no bun:sqlite. Use Bun, or another driver.", { cause });
  });
  // `strict` takes the parameter @name from the member `name`.
  const database = adaptDatabase(
    new Database(file, { create: true, readwrite: true, strict: true }),
  );
  // SQLite's own waiting would block the event loop.
  database.pragma("busy_timeout = 0");
  return database;
};
