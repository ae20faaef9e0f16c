/** Runs work. Returns the turns of the event loop in which it called `note`, one number for each call. */
export async function noteTurns(
  work: (note: () => void) => Promise<unknown>,
): Promise<readonly number[]> {
  const noted: number[] = [];
  let [turn, isOver] = [0, false];
  const watch = () => {
    turn += 1;
    if (!isOver) setImmediate(watch);
  };
  setImmediate(watch);
  try {
    await work(() => noted.push(turn));
  } finally {
    isOver = true;
  }
  return noted;
}
