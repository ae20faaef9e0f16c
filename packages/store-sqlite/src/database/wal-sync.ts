import { close, fdatasync, openSync } from "node:fs";
import { promisify } from "node:util";
import { StoreUnavailableError } from "@device-gateway/core/store";

/** Brings commits to the disk off the event loop, many at once. */
export interface WalSync {
  /** @throws {StoreUnavailableError} when a sync has failed: nothing more may be written. */
  check(): void;
  /** Call it after each commit, before anything else. */
  noteCommit(): void;
  /**
   * Resolves when all commits up to now survive a power cut; undefined if they do already.
   * @throws {StoreUnavailableError} when a sync has failed, now or before: what the disk has is then
   * unknown until the file is opened anew (https://wiki.postgresql.org/wiki/Fsync_Errors).
   */
  whenDurable(): Promise<void> | undefined;
  close(): Promise<void>;
}

interface Round {
  /** The last commit that it covers. */
  readonly upTo: number;
  readonly done: Promise<void>;
}

/** What a log is synced and let go of with. */
export interface SyncedFile {
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Creates the sync of a write-ahead log whose connection does not sync at each commit. */
export function createWalSync(file: SyncedFile): WalSync {
  let committed = 0;
  let durable = 0;
  let current: Round | undefined;
  /** For what is committed while a round is under way. */
  let next: Promise<void> | undefined;
  let failure: StoreUnavailableError | undefined;

  async function sync(upTo: number): Promise<void> {
    try {
      await file.sync();
      durable = upTo;
    } catch (cause) {
      const message = "The disk could not keep what was written: look after it, then restart.";
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
    noteCommit() {
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

/** Opens the write-ahead log of a database that is open. */
export function openWalSync(file: string): WalSync {
  // Not the database itself: closing any handle of that would let go of SQLite's locks.
  const handle = openSync(`${file}-wal`, "r+");
  return createWalSync({
    sync: () => promisify(fdatasync)(handle),
    close: () => promisify(close)(handle),
  });
}
