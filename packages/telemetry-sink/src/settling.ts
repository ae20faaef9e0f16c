/**
 * What the receiver accepted lately. VictoriaMetrics and others answer before lines are on the disk, so a crash loses the
 * last seconds. Lines count as safe when they are older than `settleMs`; what is younger is written again after a
 * connection has ended.
 */
export interface Settling {
  noteAccepted(cursor: string): void;
  noteDisconnected(): void;
  /** Returns whether to write again what is not safe, and forgets it. */
  takeRepeat(): boolean;
  /** Returns the newest safe cursor, once. Null if there is no newer one than before. */
  takeSafe(): string | null;
  /** Forgets everything: another process may have written meanwhile. */
  clear(): void;
}

/**
 * Creates the memory of accepted lines. It repeats at most once in two periods, so that lines become safe in between even if
 * connections keep ending.
 */
export function createSettling(settleMs: number, now = () => performance.now()): Settling {
  let accepted: { readonly cursor: string; readonly at: number }[] = [];
  let isDisconnected = false;
  let repeatedAt = Number.NEGATIVE_INFINITY;
  return {
    noteAccepted(cursor) {
      accepted.push({ cursor, at: now() });
    },
    noteDisconnected() {
      isDisconnected = true;
    },
    takeRepeat() {
      const isDue = isDisconnected && now() - repeatedAt >= 2 * settleMs;
      isDisconnected = false;
      if (!isDue || accepted.length === 0) return false;
      accepted = [];
      repeatedAt = now();
      return true;
    },
    takeSafe() {
      const safe = accepted.findLastIndex(({ at }) => now() - at >= settleMs);
      const cursor = accepted[safe]?.cursor ?? null;
      accepted = accepted.slice(safe + 1);
      return cursor;
    },
    clear() {
      accepted = [];
    },
  };
}
