/** Runs the work of one key one after another. Work of different keys does not wait for each other. */
export type InTurn = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/**
 * Creates the queues. Work that waits holds nothing but its closure.
 *
 * @example
 * const inTurn = createInTurn();
 * const part = await inTurn(user.id, () => readRawHistory(telemetry, range, query, cursor, turn));
 */
export function createInTurn(): InTurn {
  const last = new Map<string, Promise<void>>();
  return (key, work) => {
    const result = (last.get(key) ?? Promise.resolve()).then(work);
    const end = () => {
      if (last.get(key) === ended) last.delete(key);
    };
    const ended = result.then(end, end);
    last.set(key, ended);
    return result;
  };
}
