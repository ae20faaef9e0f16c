/** A key rests this many times as long as its turn took, so that it gets a quarter of the time. */
const restFactor = 3;
/** The shortest rest, in milliseconds: the rest of a request costs more than its turn, so turns of a key must be rare. */
const shortestRestMs = 20;
/** The longest rest, in milliseconds. A turn may take long because a database is slow or distant. */
const longestRestMs = 50;
/** A turn ends after this many milliseconds, although its work may hang. */
const longestTurnMs = 1_000;

/**
 * A turn whose end is this many milliseconds overdue has lost its timer: some runtimes drop the timers of a request that
 * has ended. The next caller then takes the turn.
 */
const overdueMs = 1_000;

/** Gives the callers of one key turns, one after another. After each turn, the key rests. */
export interface RestingTurns {
  /**
   * Waits for a turn of the key. Call the returned function at its end. `check` is called when the turn begins. If it
   * rejects, because nobody waits for the work any more, so does `enter`, and the next caller has its turn without a rest.
   */
  enter(key: string, check: () => Promise<void>): Promise<() => void>;
}

interface Lane {
  /** The callers that wait. */
  readonly waiting: (() => void)[];
  /** The number of the current turn. */
  turn: number;
  /** When that turn and its rest end at the latest, on the clock of `performance.now()`. */
  endsBy: number;
}

/**
 * Creates a keyed mutex with a duty cycle of at most 25 %: a key rests for three times as long as its turn took, for at
 * least 20 ms and at most 50 ms.
 *
 * @example
 * const leave = await turns.enter(deviceId, checkClient);
 * await readFirstPiece().finally(leave);
 */
export function createRestingTurns(): RestingTurns {
  /** The lane of each key that has a turn or rests. */
  const lanes = new Map<string, Lane>();

  function startNext(key: string, lane: Lane): void {
    const next = lane.waiting.shift();
    if (next === undefined) lanes.delete(key);
    else next();
  }

  return {
    async enter(key, check) {
      const lane = lanes.get(key) ?? { waiting: [], turn: 0, endsBy: -Infinity };
      const isFree = performance.now() > lane.endsBy + overdueMs;
      lanes.set(key, lane);
      if (!isFree) await new Promise<void>((resolve) => lane.waiting.push(resolve));
      const startedAt = performance.now();
      const turn = ++lane.turn;
      lane.endsBy = startedAt + longestTurnMs + longestRestMs;
      const end = () => {
        if (lane.turn === turn) startNext(key, lane);
      };
      let isOver = false;
      const leave = () => {
        if (isOver) return;
        isOver = true;
        clearTimeout(timer);
        const restMs = restFactor * (performance.now() - startedAt);
        setTimeout(end, Math.min(longestRestMs, Math.max(shortestRestMs, restMs)));
      };
      const timer = setTimeout(leave, longestTurnMs);
      try {
        await check();
      } catch (reason) {
        isOver = true;
        clearTimeout(timer);
        end();
        throw reason;
      }
      return leave;
    },
  };
}
