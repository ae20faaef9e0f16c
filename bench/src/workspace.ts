import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import type { Layout, LayoutTables } from "./layouts/layout.js";

/** Databases in a folder of their own, which is removed with them. */
export interface Workspace {
  /** FULL wherever something is measured. */
  readonly synchronous: "FULL" | "OFF";
  create(name: string): Database.Database;
  remove(): void;
}

export function createWorkspace(synchronous: Workspace["synchronous"]): Workspace {
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  const opened: Database.Database[] = [];
  return {
    synchronous,
    create(name) {
      const database = new Database(join(folder, `${name.replaceAll(/\W+/g, "-")}.db`));
      database.pragma("journal_mode = WAL");
      database.pragma(`synchronous = ${synchronous}`);
      opened.push(database);
      return database;
    },
    remove() {
      for (const database of opened) database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A layout on a database of its own. */
export interface Subject {
  readonly name: string;
  readonly database: Database.Database;
  readonly tables: LayoutTables;
  /** Runs work in a transaction that has the write lock from its beginning, as the store does. */
  commit<Outcome>(work: () => Outcome): Outcome;
  /** Runs work without waiting for the disk: for what is prepared, never for what is measured. */
  prepare(work: () => void): void;
}

export function openSubject(workspace: Workspace, layout: Layout, suffix = ""): Subject {
  const database = workspace.create(layout.name + suffix);
  const tables = layout.open(database);
  const transact = database.transaction((work: () => unknown) => work());
  return {
    name: layout.name,
    database,
    tables,
    commit: <Outcome>(work: () => Outcome) => transact.immediate(work) as Outcome,
    prepare(work) {
      database.pragma("synchronous = OFF");
      work();
      database.pragma(`synchronous = ${workspace.synchronous}`);
      database.pragma("wal_checkpoint(TRUNCATE)");
    },
  };
}

/** Bytes in use after a checkpoint: free pages, which the next records fill, are not. */
export function bytesInUse(database: Database.Database): number {
  database.pragma("wal_checkpoint(TRUNCATE)");
  const [pages, free, size] = ["page_count", "freelist_count", "page_size"].map(
    (name) => database.pragma(name, { simple: true }) as number,
  );
  return ((pages ?? 0) - (free ?? 0)) * (size ?? 0);
}

export function settleAll({ tables, commit }: Subject, before: number): number {
  let steps = 0;
  if (tables.settleSome === undefined) return steps;
  while (commit(() => tables.settleSome?.(before) ?? 0) > 0) steps += 1;
  return steps;
}
