import type { InTurn } from "./in-turn.js";

/** A key rests this many times as long as its work took, so that it gets a quarter of the time. */
const restFactor = 3;
/** The longest rest, in milliseconds. Work may take long because a database is slow or distant. */
const longestRestMs = 50;

/**
 * Returns a function that runs the work of one key in turn. After each piece of work, the key rests for three times as
 * long as it took, for at most 50 ms. A caller gets its result before the rest.
 *
 * @example
 * const inRestingTurn = createRestingTurns(createInTurn());
 * const first = await inRestingTurn(deviceId, () => pieces.next());
 */
export function createRestingTurns(inTurn: InTurn) {
  return <T>(key: string, work: () => Promise<T>): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      void inTurn(key, async () => {
        const startedAt = performance.now();
        await work().then(resolve, reject);
        const restMs = restFactor * (performance.now() - startedAt);
        await new Promise((end) => setTimeout(end, Math.min(longestRestMs, restMs)));
      });
    });
}
