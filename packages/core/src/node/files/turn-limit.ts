/**
 * Creates a function that lets at most `perTurn` callers pass in each turn of the event loop, in order of arrival.
 * Work without an end, such as many downloads at once, thus leaves time for other work in each turn.
 */
export function createTurnLimit(perTurn: number): () => Promise<void> {
  const waiting: (() => void)[] = [];
  let passed = 0;
  let isTurning = false;

  function turn(): void {
    const next = waiting.splice(0, perTurn);
    passed = next.length;
    isTurning = passed > 0;
    if (isTurning) setImmediate(turn);
    for (const pass of next) pass();
  }

  return () => {
    if (!isTurning) {
      isTurning = true;
      setImmediate(turn);
    }
    if (passed < perTurn && waiting.length === 0) {
      passed += 1;
      return Promise.resolve();
    }
    return new Promise((resolve) => waiting.push(resolve));
  };
}
