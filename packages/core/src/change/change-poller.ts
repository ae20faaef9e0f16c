import type { Clock } from "../ports/clock.js";
import type { Logger } from "../ports/logger.js";
import type { Awaitable } from "../shared/awaitable.js";
import type { ChangeFeed, ChangesOutcome } from "./change-feed.js";

/** If the last poll is older than this, the next one starts in the background. */
const checkAfterMs = 250;
/**
 * If the last poll is older than this, caches are not used. Tokens of a former secret or a revoked device are
 * rejected within one second (§1).
 */
const freshMs = 750;

/** Polls the change feed once for all caches of this process. */
export interface ChangePoller {
  /** Calls the listener with every later outcome, before `isFresh` returns true for it. */
  subscribe(listener: (outcome: ChangesOutcome) => void): void;
  /**
   * Returns whether the caches are at most 750 ms behind. If not, the caller must read the store. It returns a
   * promise only if it must wait for a poll.
   */
  isFresh(): Awaitable<boolean>;
}

interface Sources {
  readonly changes: Pick<ChangeFeed, "since">;
  readonly clock: Clock;
  readonly logger: Logger;
}

export function createChangePoller({ changes, clock, logger }: Sources): ChangePoller {
  const listeners: ((outcome: ChangesOutcome) => void)[] = [];
  let cursor: string | null = null;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let checking: Promise<void> | undefined;
  let isFailing = false;

  async function check(): Promise<void> {
    const startedAt = clock.now();
    try {
      const outcome = await changes.since(cursor);
      for (const listener of listeners) listener(outcome);
      cursor = outcome.cursor;
      checkedAt = startedAt;
      isFailing = false;
    } catch (error) {
      if (isFailing) return;
      isFailing = true;
      logger.warn(
        { err: error },
        "Could not read the change feed. Every request reads the store until it works again.",
      );
    } finally {
      checking = undefined;
    }
  }

  /** Whether the last check began at most `ms` before `at`. False if the clock was set back. */
  function isWithin(ms: number, at: number): boolean {
    const age = at - checkedAt;
    return age >= 0 && age <= ms;
  }

  return {
    subscribe: (listener) => void listeners.push(listener),
    isFresh() {
      const askedAt = clock.now();
      if (isWithin(checkAfterMs, askedAt)) return true;
      checking ??= check();
      if (isWithin(freshMs, askedAt)) return true;
      // A caller that joins a slow check gets what the check read when it began, which may be too old.
      return checking.then(() => isWithin(freshMs, askedAt));
    },
  };
}
