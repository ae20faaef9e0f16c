import type { Piece } from "./message.js";

/** Tells of a stream that breaks off, which nobody else would: its answer has begun already. */
export function watchStream(
  pieces: AsyncIterable<Piece>,
  onFault: (fault: unknown) => void,
): AsyncIterable<Piece> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = pieces[Symbol.asyncIterator]();
      return {
        async next() {
          try {
            return await iterator.next();
          } catch (fault) {
            onFault(fault);
            throw fault;
          }
        },
        return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
      };
    },
  };
}

/** Lets go of a stream that is not going to be read. */
export async function cancelStream(pieces: AsyncIterable<Piece>): Promise<void> {
  await pieces[Symbol.asyncIterator]().return?.();
}
