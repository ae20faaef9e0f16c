/**
 * Creates a line in which each call begins after the one before it has settled. Among writers
 * that wait for another process's lock, only the first thus asks for it.
 */
export function createWaitingLine(): <Outcome>(call: () => Promise<Outcome>) => Promise<Outcome> {
  const waiting: (() => void)[] = [];
  let taken = false;
  return async (call) => {
    if (taken) await new Promise<void>((resolve) => waiting.push(resolve));
    taken = true;
    try {
      return await call();
    } finally {
      const next = waiting.shift();
      // Handed over, not freed: a newcomer must not slip in before the next one wakes up.
      if (next) next();
      else taken = false;
    }
  };
}
