import { nextTurn } from "./next-turn.js";

/**
 * How long work runs before other work has its turn, in milliseconds: a quarter of the longest turn that is allowed, because one more
 * piece and a garbage collection may follow.
 */
const turnMs = 5;

/** Limits by time how much work one turn of the event loop does. */
export interface Pacer {
  /** Returns whether the work of this turn has taken its time. */
  isDue(): boolean;
  /** Resolves in a later turn of the event loop, in which the work may continue. */
  turn(): Promise<void>;
}

/**
 * Creates a pacer. The time of the first turn begins now. Ask it between pieces that are small in themselves: the clock of some
 * runtimes stands still during a turn.
 *
 * @example
 * const pacer = createPacer();
 * for (const row of rows) {
 *   fold(row);
 *   if (pacer.isDue()) await pacer.turn();
 * }
 */
export function createPacer(now: () => number = () => performance.now()): Pacer {
  let begunAt = now();
  return {
    isDue: () => now() - begunAt >= turnMs,
    async turn() {
      await nextTurn();
      begunAt = now();
    },
  };
}
