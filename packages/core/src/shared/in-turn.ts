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
 * Creates a keyed semaphore, by default a mutex. At most `atOnce` pieces of work of each key run at a time, in order of
 * arrival. Work that waits holds nothing but its closure.
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

/**
 * Runs work when it is the turn of all its keys. The keys name its groups, from the narrowest to the widest, and are
 * taken in this order: one piece of work of each group waits for the next wider group at a time. So the groups within a
 * wider one take turns. All callers must use the same order. Otherwise two pieces can wait for each other forever.
 */
export const inTurnOfAll = <T>(
  inTurn: InTurn,
  keys: readonly string[],
  work: () => Promise<T>,
): Promise<T> => [...new Set(keys)].reduceRight((next, key) => () => inTurn(key, next), work)();
