/**
 * Lets at most so many callers through in each turn of the event loop, in order of arrival. Work that
 * has no end, such as many downloads at once, thus leaves each turn to others as well.
 */
export function createTurnstile(perTurn: number): () => Promise<void> {
  const waiting: (() => void)[] = [];
  let passed = 0;
  let turning = false;

  function turn(): void {
    const next = waiting.splice(0, perTurn);
    passed = next.length;
    turning = passed > 0;
    if (turning) setImmediate(turn);
    for (const pass of next) pass();
  }

  return () => {
    if (!turning) {
      turning = true;
      setImmediate(turn);
    }
    if (passed < perTurn && waiting.length === 0) {
      passed += 1;
      return Promise.resolve();
    }
    return new Promise((resolve) => waiting.push(resolve));
  };
}
