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
 * that waits holds nothing but its closure. After each piece, its place stays taken until `rest` resolves, which gets
 * the time that the piece took, in milliseconds. The result does not wait for that.
 *
 * @example
 * const inTurn = createInTurn();
 * const part = await inTurn(user.id, () => readRawHistory(telemetry, range, query, cursor, turn));
 */
export function createInTurn(atOnce = 1, rest?: (tookMs: number) => Promise<void>): InTurn {
  const lanes = new Map<string, Lane>();

  function end(key: string, lane: Lane): void {
    const next = lane.waiting.shift();
    if (next !== undefined) next();
    else {
      lane.running -= 1;
      if (lane.running === 0) lanes.delete(key);
    }
  }

  return async (key, work) => {
    const lane = lanes.get(key) ?? { running: 0, waiting: [] };
    lanes.set(key, lane);
    const hasWaited = lane.running >= atOnce;
    if (hasWaited) await new Promise<void>((resolve) => lane.waiting.push(resolve));
    else lane.running += 1;
    const begunAt = performance.now();
    try {
      return await work(hasWaited);
    } finally {
      if (rest === undefined) end(key, lane);
      else void rest(performance.now() - begunAt).then(() => end(key, lane));
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
