import type { Clock } from "../ports/clock.js";
import type { Logger } from "../ports/logger.js";
import type { Awaitable } from "../shared/awaitable.js";
import type { ChangeFeed, ChangesOutcome } from "./change-feed.js";

/** Older than this, what is known is checked against the change feed in the background … */
const checkAfterMs = 250;
/** … and older than this, it is not believed: no revoked token lives for a second (contract §2). */
const believeMs = 750;

/** Polls the change feed for everything that this process keeps in memory: one poll for all. */
export interface ChangeFollower {
  /** Hears of every outcome from here on, before `isBelievable` says that it is known. */
  subscribe(hear: (outcome: ChangesOutcome) => void): void;
  /**
   * Whether what was kept since the last poll is no more than 750 ms behind. If not, it is the
   * store's to say. Said at once, unless the feed has to be asked first.
   */
  isBelievable(): Awaitable<boolean>;
}

interface Sources {
  readonly changes: Pick<ChangeFeed, "since">;
  readonly clock: Clock;
  readonly logger: Logger;
}

export function createChangeFollower({ changes, clock, logger }: Sources): ChangeFollower {
  const listeners: ((outcome: ChangesOutcome) => void)[] = [];
  let cursor: string | null = null;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let checking: Promise<void> | undefined;
  let isSilent = false;

  async function check(): Promise<void> {
    const startedAt = clock.now();
    try {
      const outcome = await changes.since(cursor);
      for (const hear of listeners) hear(outcome);
      cursor = outcome.cursor;
      checkedAt = startedAt;
      isSilent = false;
    } catch (error) {
      if (isSilent) return;
      isSilent = true;
      logger.warn({ err: error }, "The change feed does not answer; the store is read each time");
    } finally {
      checking = undefined;
    }
  }

  /** Whether the last check is no longer ago, as of a time; a clock that stepped back tells nothing. */
  function isWithin(ms: number, at: number): boolean {
    const age = at - checkedAt;
    return age >= 0 && age <= ms;
  }

  return {
    subscribe: (hear) => void listeners.push(hear),
    isBelievable() {
      const askedAt = clock.now();
      if (isWithin(checkAfterMs, askedAt)) return true;
      checking ??= check();
      if (isWithin(believeMs, askedAt)) return true;
      // Who joins a slow check is told what it saw when it began, which may be too long ago.
      return checking.then(() => isWithin(believeMs, askedAt));
    },
  };
}
