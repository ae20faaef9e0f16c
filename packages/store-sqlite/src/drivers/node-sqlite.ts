import type { SqliteDriver } from "../database/database.js";
import { adaptDatabase, type NativeDatabase, type NativeStatement } from "./adapt-database.js";

interface NodeStatement extends NativeStatement {
  setAllowUnknownNamedParameters?(allowed: boolean): void;
}

interface NodeSqlite {
  readonly DatabaseSync: new (
    file: string,
  ) => Omit<NativeDatabase, "prepare"> & { prepare(sql: string): NodeStatement };
}

// In a variable, because Node 20's types lack the module, and a bundler must not resolve it.
const moduleName = "node:sqlite";

/**
 * The driver for the SQLite that is built into Node 24 or later and into Deno. It needs no native add-on.
 *
 * @example
 * const store = await openSqliteStore({ file: "gateway.db", driver: nodeSqlite });
 */
export const nodeSqlite: SqliteDriver = async (file) => {
  const { DatabaseSync } = await (import(moduleName) as Promise<NodeSqlite>).catch(
    (cause: unknown) => {
      throw new Error(
        "This runtime has no node:sqlite. Use Node 24 or later, or Deno, or another driver.",
        { cause },
      );
    },
  );
  const native = new DatabaseSync(file);
  const database = adaptDatabase({
    prepare(sql) {
      const statement = native.prepare(sql);
      if (statement.setAllowUnknownNamedParameters === undefined) {
        throw new Error("This node:sqlite is too old. Use Node 24 or later, or a later Deno.");
      }
      // A parameter object may have members that the statement does not use.
      statement.setAllowUnknownNamedParameters(true);
      return statement;
    },
    exec: (sql) => native.exec(sql),
    get isTransaction() {
      return native.isTransaction ?? false;
    },
    close: () => native.close(),
  });
  // SQLite would block the event loop while it waits for a lock.
  database.pragma("busy_timeout = 0");
  return database;
};
