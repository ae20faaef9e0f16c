/**
 * Remembers what the receiver accepted recently. VictoriaMetrics and others respond before lines are on the disk, so a
 * crash loses the last seconds. Lines count as safe when they are older than `settleMs`; younger lines are written
 * again after a connection has ended.
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

/** After this many repeats in a row, lines become safe before the next one. */
const mostRepeats = 2;

/**
 * Creates the memory of accepted lines. Lines that a connection's end has put at risk are not safe until they have been
 * written again. If connections keep ending, it repeats twice, and then lets lines become safe for two periods.
 */
export function createSettling(settleMs: number, now = () => performance.now()): Settling {
  let accepted: { readonly cursor: string; readonly at: number }[] = [];
  /** When the first connection ended since the last repeat. */
  let disconnectedAt = Number.POSITIVE_INFINITY;
  let repeatedAt = Number.NEGATIVE_INFINITY;
  let repeats = 0;
  const isRecent = () => now() - repeatedAt < 2 * settleMs;
  const isExhausted = () => repeats >= mostRepeats && isRecent();
  return {
    noteAccepted(cursor) {
      accepted.push({ cursor, at: now() });
    },
    noteDisconnected() {
      disconnectedAt = Math.min(disconnectedAt, now());
    },
    takeRepeat() {
      if (accepted.length === 0) disconnectedAt = Number.POSITIVE_INFINITY;
      const isPending = disconnectedAt < Number.POSITIVE_INFINITY;
      if (!isPending || isExhausted() || now() - repeatedAt < settleMs) return false;
      accepted = [];
      disconnectedAt = Number.POSITIVE_INFINITY;
      repeats = isRecent() ? repeats + 1 : 1;
      repeatedAt = now();
      return true;
    },
    takeSafe() {
      const end = isExhausted() ? now() : Math.min(now(), disconnectedAt);
      const safe = accepted.findLastIndex(({ at }) => end - at >= settleMs);
      const cursor = accepted[safe]?.cursor ?? null;
      accepted = accepted.slice(safe + 1);
      return cursor;
    },
    clear() {
      accepted = [];
    },
  };
}
