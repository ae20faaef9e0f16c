import type { Database, SqliteDriver } from "../database/database.js";
import { fitsNode } from "./fits-node.js";

/**
 * The driver for better-sqlite3 on Node. You install better-sqlite3 beside the store. Opening fails if its version cannot run
 * on this Node, and Node prints a warning if it can abort the process.
 *
 * @example
 * const store = await openSqliteStore({ file: "gateway.db", driver: betterSqlite3 }); // the default
 */
export const betterSqlite3: SqliteDriver = async (file) => {
  const { default: Sqlite } = await import("better-sqlite3").catch((cause: unknown) => {
    throw new Error(
      "better-sqlite3 cannot be loaded. Install it, or pass another driver: nodeSqlite (Node 24 or later, Deno) or bunSqlite (Bun).",
      { cause },
    );
  });
  const fit = fitsNode(process.versions.node, "explain" in Sqlite.prototype);
  if (fit.kind === "cannot-run") throw new Error(fit.advice);
  if (fit.kind === "aborts") process.emitWarning(fit.advice);
  // `timeout: 0`, because SQLite would block the event loop while it waits for a lock. The cast is needed because the types
  // of better-sqlite3 are conditional, and the compiler cannot compare them.
  return new Sqlite(file, { timeout: 0 }) as unknown as Database;
};
