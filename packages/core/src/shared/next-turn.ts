/** `setImmediate` of Node has no delay. A timer waits for at least a millisecond. */
const { setImmediate: soon = setTimeout } = globalThis as unknown as {
  readonly setImmediate?: (work: () => void) => unknown;
};

/**
 * Creates a queue whose callers resume in later turns of the event loop, in the order of the calls: `perTurn` of them in
 * each turn. Between the turns, the event loop handles whatever else is ready.
 */
export function createTurnQueue(perTurn: number): () => Promise<void> {
  const waiting: (() => void)[] = [];

  function resumeSome(): void {
    for (const resume of waiting.splice(0, perTurn)) resume();
    if (waiting.length > 0) soon(resumeSome);
  }

  return () =>
    new Promise((resolve) => {
      if (waiting.push(resolve) === 1) soon(resumeSome);
    });
}

/**
 * Resolves in a later turn of the event loop, for one caller in each turn, in the order of the calls. Call it
 * between pieces of long work: a store in the same process resolves without leaving the turn, and many
 * requests at once would otherwise put all their pieces into one.
 *
 * @example
 * for (const page of pages) {
 *   fold(page);
 *   await nextTurn();
 * }
 */
export const nextTurn = createTurnQueue(1);
