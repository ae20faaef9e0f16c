/**
 * Creates a queue that starts each call after the previous one has settled. Of the writers that
 * wait for another process's lock, only the first then polls it.
 */
export function createCallQueue(): <Outcome>(call: () => Promise<Outcome>) => Promise<Outcome> {
  const waiting: (() => void)[] = [];
  let taken = false;
  return async (call) => {
    if (taken) await new Promise<void>((resolve) => waiting.push(resolve));
    taken = true;
    try {
      return await call();
    } finally {
      const next = waiting.shift();
      // The turn passes straight to the next call, so a new call cannot overtake it.
      if (next) next();
      else taken = false;
    }
  };
}
