import type { Piece } from "./message.js";

/** Tells of a stream that breaks off, which nobody else would: its answer has begun already. */
export function watchStream(
  pieces: AsyncIterable<Piece>,
  onFault: (fault: unknown) => void,
): AsyncIterable<Piece> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = pieces[Symbol.asyncIterator]();
      const letGo = async (): Promise<IteratorResult<Piece>> =>
        (await iterator.return?.()) ?? { done: true, value: undefined };
      return {
        async next() {
          try {
            return await iterator.next();
          } catch (fault) {
            onFault(fault);
            throw fault;
          }
        },
        return: letGo,
        // By whoever writes it, of a client that takes nothing.
        throw(fault: unknown) {
          onFault(fault);
          return letGo();
        },
      };
    },
  };
}

/** Lets go of a stream that is not going to be read. */
export async function cancelStream(pieces: AsyncIterable<Piece>): Promise<void> {
  await pieces[Symbol.asyncIterator]().return?.();
}
