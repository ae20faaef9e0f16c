/** `setImmediate` of Node has no delay. A timer waits for at least a millisecond. */
const { setImmediate: soon = setTimeout } = globalThis as unknown as {
  readonly setImmediate?: (work: () => void) => unknown;
};
const waiting: (() => void)[] = [];

function resumeOne(): void {
  waiting.shift()?.();
  if (waiting.length > 0) soon(resumeOne);
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
export const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    if (waiting.push(resolve) === 1) soon(resumeOne);
  });
