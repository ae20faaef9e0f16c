let ending: Promise<void> | undefined;

/**
 * Resolves at the end of the current turn of the event loop. All callers of one turn share one immediate and resolve in
 * order.
 */
export function endOfTurn(): Promise<void> {
  ending ??= new Promise((resolve) => {
    setImmediate(() => {
      ending = undefined;
      resolve();
    });
  });
  return ending;
}
