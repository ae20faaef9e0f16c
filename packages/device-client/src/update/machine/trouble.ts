import type { Trouble } from "./update-state.js";

const minute = 60_000;
/** A first failure may be accidental. An image that failed three times is retried once a day. */
const longestPauseMs = 24 * 60 * minute;
const pausesMs = [minute, 15 * minute, longestPauseMs];
const maxRemembered = 8;

/**
 * Adds a trouble, or moves that of its image to the end. If the list is full, forgets the oldest image that may be
 * retried, so that failed downloads do not bring back an image that was rolled back. Without one, forgets the oldest.
 */
function remember(troubles: readonly Trouble[], noted: Trouble): readonly Trouble[] {
  const kept = troubles.filter(({ sha256 }) => sha256 !== noted.sha256);
  if (kept.length >= maxRemembered) {
    const place = kept.findIndex(({ retryAt }) => retryAt !== null);
    kept.splice(Math.max(place, 0), 1);
  }
  return [...kept, noted];
}

/** Notes that an image failed. It is retried after a minute, 15 minutes, then a day each time. */
export function noteFailure(
  troubles: readonly Trouble[],
  sha256: string,
  now: number,
): readonly Trouble[] {
  const before = troubles.find((trouble) => trouble.sha256 === sha256);
  const failures = (before?.failures ?? 0) + 1;
  const pause = pausesMs[Math.min(failures, pausesMs.length) - 1] as number;
  const retryAt = before?.retryAt === null ? null : now + pause;
  return remember(troubles, { sha256, failures, retryAt });
}

/** Notes that an image ran and was rolled back. It is never installed again. */
export function noteRollBack(troubles: readonly Trouble[], sha256: string): readonly Trouble[] {
  const failures = (troubles.find((trouble) => trouble.sha256 === sha256)?.failures ?? 0) + 1;
  return remember(troubles, { sha256, failures, retryAt: null });
}

/**
 * Returns the trouble that blocks an image now, if there is one. A retry that is further ahead than the longest pause was
 * planned while the clock was wrong, and blocks nothing.
 */
export const findBlockingTrouble = (troubles: readonly Trouble[], sha256: string, now: number) =>
  troubles.find(
    (trouble) =>
      trouble.sha256 === sha256 &&
      (trouble.retryAt === null ||
        (trouble.retryAt > now && trouble.retryAt - now <= longestPauseMs)),
  );
