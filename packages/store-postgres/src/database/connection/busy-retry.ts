import { toStoreError } from "./store-errors.js";

/**
 * Runs `work`, and repeats it while `mayRepeat` allows it, until `deadline` (on the clock of
 * `performance.now()`). The random pause grows with each round, so that competing transactions
 * separate.
 */
export async function retryWhileBusy<Outcome>(
  work: () => Promise<Outcome>,
  mayRepeat: (error: unknown) => boolean,
  deadline: number,
): Promise<Outcome> {
  for (let round = 1; ; round++) {
    try {
      return await work();
    } catch (error) {
      if (!mayRepeat(error) || performance.now() >= deadline) throw toStoreError(error);
    }
    // Without randomness two competing transactions would collide again. Nothing that is stored
    // depends on it.
    const pause = Math.random() * Math.min(5 * round, 50);
    await new Promise<void>((resolve) => setTimeout(resolve, pause));
  }
}
