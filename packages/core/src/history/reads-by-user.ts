/** Runs the reads of one user one after another. Reads of different users do not wait for each other. */
export type ReadsByUser = <T>(userId: string, read: () => Promise<T>) => Promise<T>;

/**
 * Creates the queues. A read that runs holds a part of its response in memory, and a read that waits holds nothing. So
 * one user's simultaneous reads need no more memory, and leave no more garbage, than one read.
 *
 * @example
 * const readInTurn = createReadsByUser();
 * const part = await readInTurn(user.id, () => readRawHistory(telemetry, range, query, cursor, turn));
 */
export function createReadsByUser(): ReadsByUser {
  const last = new Map<string, Promise<void>>();
  return (userId, read) => {
    const result = (last.get(userId) ?? Promise.resolve()).then(read);
    const end = () => {
      if (last.get(userId) === ended) last.delete(userId);
    };
    const ended = result.then(end, end);
    last.set(userId, ended);
    return result;
  };
}
