export interface RunResult {
  readonly changes: number;
  readonly lastInsertRowid: number | bigint;
}

/** A prepared statement. Parameters are positional, or one object with a member for each `@name`. */
export interface Statement<Parameters extends unknown[], Row> {
  get(...parameters: Parameters): Row | undefined;
  all(...parameters: Parameters): Row[];
  iterate(...parameters: Parameters): IterableIterator<Row>;
  run(...parameters: Parameters): RunResult;
  /** Returns a statement that returns the first column of each row instead of the row. */
  pluck(): Statement<Parameters, Row>;
}

/** A function that runs in a transaction. Called inside another transaction, it becomes part of that one. */
export interface Transaction<Parameters extends unknown[], Outcome> {
  (...parameters: Parameters): Outcome;
  deferred(...parameters: Parameters): Outcome;
  /** Takes the write lock when it begins. */
  immediate(...parameters: Parameters): Outcome;
}

/** A synchronous connection to a SQLite file: the part of better-sqlite3 that the store uses. */
export interface Database {
  prepare<Parameters extends unknown[] = unknown[], Row = unknown>(
    sql: string,
  ): Statement<Parameters, Row>;
  transaction<Parameters extends unknown[], Outcome>(
    work: (...parameters: Parameters) => Outcome,
  ): Transaction<Parameters, Outcome>;
  /** Whether a transaction is open. */
  readonly inTransaction: boolean;
  exec(sql: string): unknown;
  /** Runs a PRAGMA. `simple` returns the first column of its first row. */
  pragma(source: string, options?: { readonly simple?: boolean }): unknown;
  close(): unknown;
}

/**
 * Opens a file with the SQLite of a runtime. Calls must fail at once if another process holds the lock, and errors must
 * contain SQLite's result code.
 */
export type SqliteDriver = (file: string) => Promise<Database>;
