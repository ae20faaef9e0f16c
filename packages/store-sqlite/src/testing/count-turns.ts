/** Runs work and counts the turns of the event loop until it ends. */
export async function countTurns<Outcome>(
  work: () => Promise<Outcome>,
): Promise<{ readonly outcome: Outcome; readonly turns: number }> {
  let turns = 0;
  let isOver = false;
  const watch = () => {
    if (isOver) return;
    turns += 1;
    setImmediate(watch);
  };
  setImmediate(watch);
  try {
    return { outcome: await work(), turns };
  } finally {
    isOver = true;
  }
}
