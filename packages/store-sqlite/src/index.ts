export type { InTransaction } from "./database/connection.js";
export type {
  Database,
  RunResult,
  SqliteDriver,
  Statement,
  Transaction,
} from "./database/database.js";
export { betterSqlite3 } from "./drivers/better-sqlite3.js";
export { bunSqlite } from "./drivers/bun-sqlite.js";
export { nodeSqlite } from "./drivers/node-sqlite.js";
export { openSqliteStore, type SqliteStoreOptions } from "./open-sqlite-store.js";
