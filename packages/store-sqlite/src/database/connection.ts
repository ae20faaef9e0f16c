import { type Logger, StoreUnavailableError } from "@device-gateway/core/store";
import Database from "better-sqlite3";
import { checkOwnership, migrate } from "../migrations/migrate.js";
import { retryWhileBusy } from "./busy-retry.js";
import { createWaitingLine } from "./waiting-line.js";
import { openWalSync, type WalSync } from "./wal-sync.js";

/** How long a call waits for another process's lock. */
const patienceMs = 1_000;
/** How long opening does: another process may be migrating a large file. */
const openPatienceMs = 10_000;

/**
 * The one connection that all stores of a file share. What it gives rests on no commit of its own
 * that a power cut could still undo: commits are synced together, off the event loop.
 */
export interface Connection {
  readonly database: Database.Database;
  read<Outcome>(work: () => Outcome): Promise<Outcome>;
  /** Runs `work` in a transaction that has the write lock from its beginning. */
  write<Outcome>(work: () => Outcome): Promise<Outcome>;
  /** Lets a call of several steps in: closing waits for it from here on. */
  enter<Outcome>(call: () => Promise<Outcome>): Promise<Outcome>;
  /** What `read` does for a call that is in; `work` sees one moment. */
  look<Outcome>(work: () => Outcome): Promise<Outcome>;
  /** What `write` does for a call that is in. */
  transact<Outcome>(work: () => Outcome): Promise<Outcome>;
  close(): Promise<void>;
}

/** `openLog` syncs what is committed: a test's own way. */
export async function openConnection(
  file: string,
  logger?: Logger,
  openLog = openWalSync,
): Promise<Connection> {
  // SQLite's own wait would hold up every other request: it is off, `retryWhileBusy` waits.
  const database = new Database(file, { timeout: 0 });
  try {
    const deadline = performance.now() + openPatienceMs;
    await retryWhileBusy(() => prepareDatabase(database, file, logger), deadline);
    return shareConnection(database, syncApart(database, openLog));
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Takes the sync of each commit out of SQLite's hands, whose own would hold up every other request.
 * At `NORMAL` it still syncs the log before a checkpoint and whenever the log begins anew
 * (https://sqlite.org/pragma.html#pragma_synchronous). Without a log it keeps syncing itself.
 */
function syncApart(database: Database.Database, openLog: typeof openWalSync): WalSync | undefined {
  if (database.pragma("journal_mode", { simple: true }) !== "wal") return undefined;
  database.pragma("synchronous = NORMAL");
  // The file as SQLite found it, behind links: there its log is.
  const [main] = database.pragma("database_list") as [{ readonly file: string }];
  return openLog(main.file);
}

function prepareDatabase(database: Database.Database, file: string, logger?: Logger): void {
  // First of all: switching to a write-ahead log would change a file that is not ours.
  checkOwnership(database, file);
  const journalMode = database.pragma("journal_mode = WAL", { simple: true });
  if (journalMode !== "wal") {
    logger?.warn(
      { file, journalMode },
      "SQLite has no write-ahead log here; writers block readers",
    );
  }
  // better-sqlite3 is built with NORMAL for WAL; migrations are to be on disk before anything else.
  database.pragma("synchronous = FULL");
  // Four times SQLite's own: pages that many commits change are copied once for all of them.
  database.pragma("wal_autocheckpoint = 4000");
  database.pragma("foreign_keys = ON");
  const { from, to } = migrate(database);
  if (from !== to) logger?.info({ file, from, to }, "Migrated the SQLite schema");
}

function shareConnection(database: Database.Database, log: WalSync | undefined): Connection {
  const atOneMoment = database.transaction((work: () => unknown) => work());
  const immediately = database.transaction((work: () => unknown) => work());
  const inLine = createWaitingLine();
  let underWay = 0;
  let whenIdle = () => {};
  let closing: Promise<void> | undefined;

  async function enter<Outcome>(call: () => Promise<Outcome>): Promise<Outcome> {
    if (closing) throw new StoreUnavailableError("The store is closed.");
    underWay += 1;
    try {
      return await call();
    } finally {
      underWay -= 1;
      if (underWay === 0) whenIdle();
    }
  }

  async function look<Outcome>(work: () => Outcome): Promise<Outcome> {
    const deadline = performance.now() + patienceMs;
    const outcome = await retryWhileBusy(() => atOneMoment.deferred(work) as Outcome, deadline);
    await log?.whenDurable();
    return outcome;
  }

  async function transact<Outcome>(work: () => Outcome): Promise<Outcome> {
    const deadline = performance.now() + patienceMs;
    const commit = () => {
      log?.check();
      const outcome = immediately.immediate(work) as Outcome;
      log?.noteCommit();
      return outcome;
    };
    const outcome = await inLine(() => retryWhileBusy(commit, deadline));
    await log?.whenDurable();
    return outcome;
  }

  async function closeWhenIdle(): Promise<void> {
    if (underWay > 0) {
      await new Promise<void>((resolve) => {
        whenIdle = resolve;
      });
    }
    await log?.close();
    database.close();
  }

  return {
    database,
    enter,
    look,
    transact,
    read: (work) => enter(() => look(work)),
    write: (work) => enter(() => transact(work)),
    close: () => {
      closing ??= closeWhenIdle();
      return closing;
    },
  };
}
