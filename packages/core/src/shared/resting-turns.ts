/** A key rests this many times as long as its turn took, so that it gets a quarter of the time. */
const restFactor = 3;
/** The shortest rest, in milliseconds. Most of what a request costs lies outside its turn. */
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
  /** The number of the current turn, or of the last one. */
  turn: number;
  /** When the current turn ends at the latest, on the clock of `performance.now()`. -Infinity if nobody has a turn. */
  endsBy: number;
  /** When the key may have its next turn. */
  restsUntil: number;
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/**
 * Creates a keyed mutex with a duty cycle of at most 25 %: a key rests for three times as long as its turn took, for at
 * least 20 ms and at most 50 ms. The next caller waits with its own timer until
 * the rest is over.
 *
 * @example
 * const leave = await turns.enter(deviceId, checkClient);
 * await readFirstPiece().finally(leave);
 */
export function createRestingTurns(): RestingTurns {
  /** The lane of each key that has a turn or rests. */
  const lanes = new Map<string, Lane>();

  const open = (key: string): Lane => {
    const lane = { waiting: [], turn: 0, endsBy: -Infinity, restsUntil: -Infinity };
    lanes.set(key, lane);
    return lane;
  };

  /** Takes the lane's next turn when the earlier ones are over and the key has rested. Returns its number. */
  async function take(lane: Lane): Promise<number> {
    const isFree = performance.now() > lane.endsBy + overdueMs;
    if (!isFree) await new Promise<void>((resolve) => lane.waiting.push(resolve));
    const turn = ++lane.turn;
    const now = performance.now();
    lane.endsBy = now + longestRestMs + longestTurnMs;
    if (lane.restsUntil > now) await sleep(lane.restsUntil - now);
    return turn;
  }

  /** Passes the turn to the next caller. */
  function pass(key: string, lane: Lane, restMs: number): void {
    lane.restsUntil = performance.now() + restMs;
    const next = lane.waiting.shift();
    if (next !== undefined) {
      next();
      return;
    }
    lane.endsBy = -Infinity;
    const { turn } = lane;
    const forget = () => {
      if (lane.turn === turn) lanes.delete(key);
    };
    setTimeout(forget, restMs);
  }

  return {
    async enter(key, check) {
      const lane = lanes.get(key) ?? open(key);
      const turn = await take(lane);
      const startedAt = performance.now();
      let isOver = false;
      const end = (restMs: number) => {
        clearTimeout(timer);
        // Another caller has the turn if this one was overdue.
        if (!isOver && lane.turn === turn) pass(key, lane, restMs);
        isOver = true;
      };
      const leave = () => {
        const wantedMs = restFactor * (performance.now() - startedAt);
        end(Math.min(longestRestMs, Math.max(shortestRestMs, wantedMs)));
      };
      const timer = setTimeout(leave, longestTurnMs);
      try {
        await check();
      } catch (reason) {
        end(0);
        throw reason;
      }
      return leave;
    },
  };
}
