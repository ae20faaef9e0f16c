/** Runs the work of one key in turn. Work of different keys does not wait for each other. */
export type InTurn = <T>(key: string, work: () => Promise<T>) => Promise<T>;

interface Lane {
  running: number;
  readonly waiting: (() => void)[];
}

/**
 * Creates the queues: of each key, the work that came first runs, at most `atOnce` pieces at a time. Work that waits
 * holds nothing but its closure.
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
    if (lane.running < atOnce) lane.running += 1;
    else await new Promise<void>((resolve) => lane.waiting.push(resolve));
    try {
      return await work();
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
