import { createPacer, type Logger, nextTurn } from "@device-gateway/core/store";
import { createCallQueue } from "./call-queue.js";
import type { Connection } from "./connection.js";

/** The most pages that one transaction gives back. It may have to move as many from the end of the file first. */
const step = 250;
/** Pages that it moves between two looks at the clock. */
const pagesAtOnce = 25;
/** Begins when more than this many pages (10 MB) and more than this share of the file are free. */
const beginPages = 2_560;
const beginShare = 1 / 4;
/** Ends when at most this share of the file is free. New records soon use it. */
const endShare = 1 / 8;

/** The number that SQLite has for INCREMENTAL. */
const incremental = 2;

/**
 * Creates a function that gives free pages back to the file system, if a large share of the file is free. It works in steps
 * and lets other calls run between them. It never rejects. A file that was created without `auto_vacuum` keeps its free
 * pages and uses them for new records.
 */
export function createFreePages(
  { database, read, write }: Connection,
  logger: Logger | undefined,
): () => Promise<void> {
  const enqueue = createCallQueue();
  const numberOf = (pragma: string) => database.pragma(pragma, { simple: true }) as number;
  const isFree = (share: number, pages: number) => () => {
    const free = numberOf("freelist_count");
    const isMuch = free > pages && free > numberOf("page_count") * share;
    return isMuch && numberOf("auto_vacuum") === incremental;
  };

  function giveSomeBack(): void {
    const pacer = createPacer();
    for (let pages = 0; pages < step && !pacer.isDue(); pages += pagesAtOnce) {
      // `exec` runs the statement to its end, which is a step for each page.
      database.exec(`PRAGMA incremental_vacuum(${pagesAtOnce})`);
    }
  }

  async function giveBack(): Promise<void> {
    try {
      if (!(await read(isFree(beginShare, beginPages)))) return;
      while (await read(isFree(endShare, 0))) {
        await write(giveSomeBack);
        await nextTurn();
      }
    } catch (error) {
      logger?.warn({ err: error }, "Could not shrink the database file; trying again later");
    }
  }

  return () => enqueue(giveBack);
}
