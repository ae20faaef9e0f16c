import { nextTurn } from "./next-turn.js";

/**
 * How long work runs before other work has its turn, in milliseconds: a quarter of the longest turn that is allowed, because one more
 * piece and a garbage collection may follow.
 */
const turnMs = 5;

/** Limits by time how much work one turn of the event loop does. */
export interface Pacer {
  /** Returns whether this turn has used up its time. Then await `turn`. */
  isDue(): boolean;
  /** Resolves when the work may continue, in a later turn of the event loop. */
  turn(): Promise<void>;
}

/** How a pacer waits and measures. */
export interface PacerOptions {
  /** Resolves when the work may continue. Default: in a later turn of the event loop. */
  readonly turn?: (() => Promise<void>) | undefined;
  /** A clock in milliseconds. Default: `performance.now`. */
  readonly now?: () => number;
}

/**
 * Creates a pacer for cooperative yielding. The time of the first turn begins now. Ask it between pieces that are small
 * in themselves: the clock of some runtimes stands still during a turn.
 *
 * @example
 * const pacer = createPacer();
 * for (const row of rows) {
 *   fold(row);
 *   if (pacer.isDue()) await pacer.turn();
 * }
 */
export function createPacer({
  turn = nextTurn,
  now = () => performance.now(),
}: PacerOptions = {}): Pacer {
  let begunAt = now();
  return {
    isDue: () => now() - begunAt >= turnMs,
    async turn() {
      await turn();
      begunAt = now();
    },
  };
}
