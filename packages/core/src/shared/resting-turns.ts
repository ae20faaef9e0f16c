/** A key rests this many times as long as its turn took, so that it gets a quarter of the time. */
const restFactor = 3;
/** The longest rest, in milliseconds. A turn may take long because a database is slow or distant. */
const longestRestMs = 50;
/** A turn ends after this many milliseconds, although its work may hang. */
const longestTurnMs = 1_000;

/** Gives the callers of one key turns, one after another. After each turn, the key rests. */
export interface RestingTurns {
  /**
   * Waits for a turn of the key. Call the returned function at its end. Rejects with the signal's reason if the signal
   * aborts before the turn.
   */
  enter(key: string, signal: AbortSignal): Promise<() => void>;
}

/**
 * Creates the turns. A key rests for three times as long as its turn took, for at most 50 ms.
 *
 * @example
 * const leave = await turns.enter(deviceId, signal);
 * await readFirstPiece().finally(leave);
 */
export function createRestingTurns(): RestingTurns {
  /** The callers that wait, of each key that has a turn or rests. */
  const lanes = new Map<string, (() => void)[]>();

  function startNext(key: string): void {
    const next = lanes.get(key)?.shift();
    if (next === undefined) lanes.delete(key);
    else next();
  }

  const waitIn = (lane: (() => void)[], signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const start = () => {
        signal.removeEventListener("abort", giveUp);
        resolve();
      };
      const giveUp = () => {
        lane.splice(lane.indexOf(start), 1);
        reject(signal.reason);
      };
      lane.push(start);
      signal.addEventListener("abort", giveUp, { once: true });
    });

  return {
    async enter(key, signal) {
      signal.throwIfAborted();
      const lane = lanes.get(key);
      if (lane === undefined) lanes.set(key, []);
      else await waitIn(lane, signal);
      const startedAt = performance.now();
      let isOver = false;
      const leave = () => {
        if (isOver) return;
        isOver = true;
        clearTimeout(timer);
        const restMs = restFactor * (performance.now() - startedAt);
        setTimeout(() => startNext(key), Math.min(longestRestMs, restMs));
      };
      const timer = setTimeout(leave, longestTurnMs);
      return leave;
    },
  };
}
