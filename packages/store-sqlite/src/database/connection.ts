import {
  createStoreCalls,
  isTransactionEvent,
  type Logger,
  type SecurityEvent,
  type TransactionEvent,
} from "@device-gateway/core/store";
import { betterSqlite3 } from "../drivers/better-sqlite3.js";
import { checkOwnership, migrate } from "../migrations/migrate.js";
import { retryWhileBusy } from "./busy-retry.js";
import { createCallQueue } from "./call-queue.js";
import type { Database, SqliteDriver } from "./database.js";
import { openWalSync, type WalSync } from "./wal-sync.js";

/** How long a call waits for another process's lock, in milliseconds. */
const timeoutMs = 1_000;
/**
 * How long opening waits for it, in milliseconds: another process may be migrating a large file.
 */
const openTimeoutMs = 10_000;

/** The number that SQLite has for FULL. */
const fullySynchronous = 2;

/**
 * The connection that all stores of a file share. A call resolves only after every commit that its
 * outcome depends on survives a power cut. Commits are synced in groups, off the event loop.
 */
export interface Connection {
  readonly database: Database;
  read<Outcome>(work: () => Outcome): Promise<Outcome>;
  /** Reads by one statement. It needs no transaction, which would cost as much as the statement. */
  readOnce<Outcome>(statement: () => Outcome): Promise<Outcome>;
  /** Runs `work` in a transaction that takes the write lock when it begins. */
  write<Outcome>(work: () => Outcome): Promise<Outcome>;
  /** Calls the embedder's `inTransaction` with an event that `work` of `write` has just written. */
  join(event: SecurityEvent): void;
  /** Runs a call of several steps. `close` waits for it to end. */
  runSteps<Outcome>(call: () => Promise<Outcome>): Promise<Outcome>;
  /** Reads within `runSteps`. All statements of `work` read the same snapshot. */
  readStep<Outcome>(work: () => Outcome): Promise<Outcome>;
  /** Writes within `runSteps`. */
  writeStep<Outcome>(work: () => Outcome): Promise<Outcome>;
  close(): Promise<void>;
}

/**
 * Writes rows of the embedder in the transaction of a change. The change is undone if it throws. The handle is the
 * gateway's own: use it for statements only, and only until the function returns.
 */
export type InTransaction = (database: Database, event: TransactionEvent) => void;

/** Opens the file and migrates it. Tests replace `openLog` to control when commits are synced. */
export async function openConnection(
  file: string,
  logger?: Logger,
  openLog = openWalSync,
  inTransaction?: InTransaction,
  open: SqliteDriver = betterSqlite3,
): Promise<Connection> {
  // SQLite does not wait for locks; `retryWhileBusy` does.
  const database = await open(file);
  try {
    const deadline = performance.now() + openTimeoutMs;
    await retryWhileBusy(() => prepareDatabase(database, file, logger), deadline);
    return shareConnection(database, syncApart(database, openLog), inTransaction);
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Stops SQLite from syncing at each commit, which would block the event loop; the returned
 * `WalSync` does it instead. At `NORMAL`, SQLite still syncs the log before a checkpoint and
 * whenever the log restarts (https://sqlite.org/pragma.html#pragma_synchronous). Without a
 * write-ahead log, SQLite keeps syncing itself.
 */
function syncApart(database: Database, openLog: typeof openWalSync): WalSync | undefined {
  if (database.pragma("journal_mode", { simple: true }) !== "wal") return undefined;
  database.pragma("synchronous = NORMAL");
  // SQLite puts the log beside the real file, so resolve symbolic links as it did.
  const [main] = database.pragma("database_list") as [{ readonly file: string }];
  return openLog(main.file);
}

function prepareDatabase(database: Database, file: string, logger?: Logger): void {
  // Before anything else: switching to a write-ahead log would change a file of another program.
  checkOwnership(database, file);
  // For `createFreePages`. It has no effect on a file that has tables.
  database.pragma("auto_vacuum = INCREMENTAL");
  const journalMode = database.pragma("journal_mode = WAL", { simple: true });
  if (journalMode !== "wal") {
    logger?.warn(
      { file, journalMode },
      "SQLite cannot use a write-ahead log for this file, so writers block readers",
    );
  }
  // Some drivers begin at NORMAL. Migrations must be on disk before anything else is written.
  database.pragma("synchronous = FULL");
  if (database.pragma("synchronous", { simple: true }) !== fullySynchronous) {
    throw new Error(
      "The SQLite of this runtime does not sync commits to the disk (synchronous = FULL), so a power cut could lose acknowledged data. Use another driver.",
    );
  }
  // Four times SQLite's default. A page that many commits change is then copied once for all of
  // them.
  database.pragma("wal_autocheckpoint = 4000");
  // While a backup or another long read lasts, the log grows. This returns the space afterwards.
  database.pragma("journal_size_limit = 67108864");
  database.pragma("foreign_keys = ON");
  const { from, to } = migrate(database);
  if (from !== to) logger?.info({ file, from, to }, "Migrated the SQLite schema");
}

function createJoin(database: Database, inTransaction?: InTransaction) {
  return (event: SecurityEvent): void => {
    if (inTransaction === undefined || !isTransactionEvent(event)) return;
    const returned: unknown = inTransaction(database, event);
    // The transaction commits before a promise could settle, and its error would be lost.
    if (returned instanceof Promise) {
      returned.catch(() => {});
      throw new TypeError("inTransaction: the function is asynchronous. Make it synchronous.");
    }
    if (database.inTransaction) return;
    throw new Error(
      "inTransaction: the function ended the transaction. Only run statements in it.",
    );
  };
}

function shareConnection(
  database: Database,
  log: WalSync | undefined,
  inTransaction: InTransaction | undefined,
): Connection {
  const inSnapshot = database.transaction((work: () => unknown) => work());
  const immediately = database.transaction((work: () => unknown) => work());
  const enqueue = createCallQueue();
  const { run: runSteps, close } = createStoreCalls(async () => {
    await log?.close();
    database.close();
  });

  async function readWhileBusy<Outcome>(work: () => Outcome): Promise<Outcome> {
    const outcome = await retryWhileBusy(work, performance.now() + timeoutMs);
    await log?.whenDurable();
    return outcome;
  }

  const readStep = <Outcome>(work: () => Outcome): Promise<Outcome> =>
    readWhileBusy(() => inSnapshot.deferred(work) as Outcome);

  async function writeStep<Outcome>(work: () => Outcome): Promise<Outcome> {
    const deadline = performance.now() + timeoutMs;
    const commit = () => {
      log?.check();
      const outcome = immediately.immediate(work) as Outcome;
      log?.recordCommit();
      return outcome;
    };
    const outcome = await enqueue(() => retryWhileBusy(commit, deadline));
    await log?.whenDurable();
    return outcome;
  }

  return {
    database,
    join: createJoin(database, inTransaction),
    runSteps,
    readStep,
    writeStep,
    read: (work) => runSteps(() => readStep(work)),
    readOnce: (statement) => runSteps(() => readWhileBusy(statement)),
    write: (work) => runSteps(() => writeStep(work)),
    close,
  };
}
