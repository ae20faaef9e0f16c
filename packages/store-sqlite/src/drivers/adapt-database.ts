import type { Database, RunResult, Statement, Transaction } from "../database/database.js";

/** The common part of the SQLite modules of Node, Deno and Bun. */
export interface NativeStatement {
  get(...parameters: unknown[]): unknown;
  all(...parameters: unknown[]): unknown[];
  iterate(...parameters: unknown[]): Iterable<unknown>;
  run(...parameters: unknown[]): RunResult;
  /** Exists only in Bun, where it must be called before the file is closed. */
  finalize?(): void;
}

export interface NativeDatabase {
  prepare(sql: string): NativeStatement;
  exec(sql: string): unknown;
  /** Bun uses the name `inTransaction`, Node and Deno use `isTransaction`. */
  readonly inTransaction?: boolean;
  readonly isTransaction?: boolean;
  close(): unknown;
}

const firstColumn = (row: unknown) => Object.values(row as object)[0] as unknown;

function* map(rows: Iterable<unknown>, read: (row: unknown) => unknown) {
  for (const row of rows) yield read(row);
}

function adaptStatement(
  native: NativeStatement,
  read: (row: unknown) => unknown = (row) => row,
): Statement<unknown[], unknown> {
  return {
    get(...parameters) {
      const row = native.get(...parameters);
      return row === undefined || row === null ? undefined : read(row);
    },
    all: (...parameters) => native.all(...parameters).map(read),
    iterate: (...parameters) => map(native.iterate(...parameters), read),
    run: (...parameters) => native.run(...parameters),
    pluck: () => adaptStatement(native, firstColumn),
  };
}

/** Adapts a runtime's SQLite module to the interface that the store uses. */
export function adaptDatabase(native: NativeDatabase): Database {
  const statements: NativeStatement[] = [];
  let isInTransaction = false;

  /** Runs work between two statements. If the work or its end throws, undoes it. */
  function runBetween<Outcome>(end: string, undo: string, work: () => Outcome): Outcome {
    try {
      const outcome = work();
      native.exec(end);
      return outcome;
    } catch (error) {
      try {
        native.exec(undo);
      } catch {
        // SQLite has rolled back already, for example because the disk is full.
      }
      throw error;
    }
  }

  function runIn<Outcome>(begin: string, work: () => Outcome): Outcome {
    if (isInTransaction) {
      native.exec("SAVEPOINT nested");
      return runBetween("RELEASE nested", "ROLLBACK TO nested; RELEASE nested", work);
    }
    native.exec(begin);
    isInTransaction = true;
    try {
      return runBetween("COMMIT", "ROLLBACK", work);
    } finally {
      isInTransaction = false;
    }
  }

  return {
    prepare<Parameters extends unknown[], Row>(sql: string) {
      const statement = native.prepare(sql);
      statements.push(statement);
      return adaptStatement(statement) as Statement<Parameters, Row>;
    },
    transaction<Parameters extends unknown[], Outcome>(
      work: (...parameters: Parameters) => Outcome,
    ): Transaction<Parameters, Outcome> {
      const deferred = (...parameters: Parameters) => runIn("BEGIN", () => work(...parameters));
      const immediate = (...parameters: Parameters) =>
        runIn("BEGIN IMMEDIATE", () => work(...parameters));
      return Object.assign((...parameters: Parameters) => deferred(...parameters), {
        deferred,
        immediate,
      });
    },
    get inTransaction() {
      return native.inTransaction ?? native.isTransaction ?? false;
    },
    exec: (sql) => native.exec(sql),
    pragma(source, { simple = false } = {}) {
      const statement = native.prepare(`PRAGMA ${source}`);
      const rows = statement.all();
      statement.finalize?.();
      return simple ? rows[0] && firstColumn(rows[0]) : rows;
    },
    close() {
      for (const statement of statements) statement.finalize?.();
      native.close();
    },
  };
}
