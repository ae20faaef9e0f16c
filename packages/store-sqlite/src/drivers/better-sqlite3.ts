import type { Database, SqliteDriver } from "../database/database.js";

/** The driver for Node: better-sqlite3, which you install beside the store. */
export const betterSqlite3: SqliteDriver = async (file) => {
  const { default: Sqlite } = await import("better-sqlite3").catch((cause: unknown) => {
    throw new Error(
      "better-sqlite3 cannot be loaded. Install it, or pass another driver: nodeSqlite (Node 24 or later, Deno) or bunSqlite (Bun).",
      { cause },
    );
  });
  // SQLite's own waiting would block the event loop.
  // Its types are conditional, so the compiler cannot compare them.
  return new Sqlite(file, { timeout: 0 }) as unknown as Database;
};
