let ending: Promise<void> | undefined;

/** Resolves at the end of the event loop's turn, for all who wait one after the other: at once when nothing else is to be done. */
export function endOfTurn(): Promise<void> {
  ending ??= new Promise((resolve) => {
    setImmediate(() => {
      ending = undefined;
      resolve();
    });
  });
  return ending;
}
