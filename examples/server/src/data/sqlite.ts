import type { SqliteDriver } from "@device-gateway/store-sqlite";
import type Better from "better-sqlite3";

const major = Number.parseInt(process.versions.node, 10);
/**
 * better-sqlite3 12 is the last version for Node 20, and Node 24.19 or later aborts when it frees a statement of it.
 * Version 13 needs Node 22.
 */
const version: string = major >= 22 ? "better-sqlite3-13" : "better-sqlite3";

/** better-sqlite3, in the version for the running Node. */
export const { default: Sqlite } = (await import(version)) as { readonly default: typeof Better };

/** Opens the gateway's database with that version. Without `timeout: 0`, SQLite would block the event loop while it waits for a lock. */
export const sqliteDriver: SqliteDriver = async (file) =>
  new Sqlite(file, { timeout: 0 }) as unknown as Awaited<ReturnType<SqliteDriver>>;
