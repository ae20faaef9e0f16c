/**
 * Runs the work of one key in turn. Work of different keys does not wait for each other. The argument tells the work
 * whether it had to wait.
 */
export type InTurn = <T>(key: string, work: (hasWaited: boolean) => Promise<T>) => Promise<T>;

interface Lane {
  running: number;
  readonly waiting: (() => void)[];
}

/**
 * Creates the queues. Of each key, at most `atOnce` pieces of work run at a time, in the order in which they came. Work
 * that waits holds nothing but its closure.
 *
 * @example
 * const inTurn = createInTurn();
 * const part = await inTurn(user.id, () => readRawHistory(telemetry, range, query, cursor, turn));
 */
export function createInTurn(atOnce = 1): InTurn {
  const lanes = new Map<string, Lane>();
  return async (key, work) => {
    const lane = lanes.get(key) ?? { running: 0, waiting: [] };
    lanes.set(key, lane);
    const hasWaited = lane.running >= atOnce;
    if (hasWaited) await new Promise<void>((resolve) => lane.waiting.push(resolve));
    else lane.running += 1;
    try {
      return await work(hasWaited);
    } finally {
      const next = lane.waiting.shift();
      if (next !== undefined) next();
      else {
        lane.running -= 1;
        if (lane.running === 0) lanes.delete(key);
      }
    }
  };
}

/** Runs work when it is the turn of all its keys. Keys are taken in one order, so that no two pieces wait for each other. */
export const inTurnOfAll = <T>(
  inTurn: InTurn,
  keys: readonly string[],
  work: () => Promise<T>,
): Promise<T> =>
  [...new Set(keys)].sort().reduceRight((next, key) => () => inTurn(key, next), work)();
