import { close, fdatasync, openSync } from "node:fs";
import { promisify } from "node:util";
import { StoreUnavailableError } from "@device-gateway/core/store";

/** Syncs commits to the disk off the event loop, many in one sync. */
export interface WalSync {
  /**
   * Throws if a sync has failed.
   * @throws {StoreUnavailableError} because nothing more may be written then.
   */
  check(): void;
  /** Call it right after each commit. */
  recordCommit(): void;
  /**
   * Resolves when all commits so far survive a power cut, also those that were in the log before. Returns undefined if
   * they already do.
   * @throws {StoreUnavailableError} if this sync or an earlier one failed. It is then unknown what
   * is on disk until the file is opened again (https://wiki.postgresql.org/wiki/Fsync_Errors).
   */
  whenDurable(): Promise<void> | undefined;
  close(): Promise<void>;
}

interface Round {
  /** The number of the last commit that the round covers. */
  readonly upTo: number;
  readonly done: Promise<void>;
}

/** The file operations that a `WalSync` needs. */
export interface SyncedFile {
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Creates the `WalSync` of a connection that does not sync at each commit. */
export function createWalSync(file: SyncedFile): WalSync {
  // The log may hold commits of a process that was killed before it synced them. They count as the first commit.
  let committed = 1;
  let durable = 0;
  let current: Round | undefined;
  /** The round for commits made while the current round runs. */
  let next: Promise<void> | undefined;
  let failure: StoreUnavailableError | undefined;

  async function sync(upTo: number): Promise<void> {
    try {
      await file.sync();
      durable = upTo;
    } catch (cause) {
      const message =
        "The disk failed to store committed data. Check the disk, then restart the server.";
      failure = new StoreUnavailableError(message, { cause });
      throw failure;
    } finally {
      current = undefined;
    }
  }

  function begin(): Promise<void> {
    next = undefined;
    current = { upTo: committed, done: sync(committed) };
    return current.done;
  }

  return {
    check() {
      if (failure !== undefined) throw failure;
    },
    recordCommit() {
      committed++;
    },
    whenDurable() {
      if (failure !== undefined) return Promise.reject(failure);
      if (durable >= committed) return undefined;
      if (current === undefined) return begin();
      if (current.upTo >= committed) return current.done;
      next ??= current.done.then(begin);
      return next;
    },
    close: () => file.close(),
  };
}

/** Opens the write-ahead log of an open database. */
export function openWalSync(file: string): WalSync {
  // Do not open the database file itself: closing any handle to it releases SQLite's locks.
  const handle = openSync(`${file}-wal`, "r+");
  return createWalSync({
    sync: () => promisify(fdatasync)(handle),
    close: () => promisify(close)(handle),
  });
}
