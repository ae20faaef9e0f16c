import { breakOff, onCut } from "../http/request/end-stream.js";
import type { Piece } from "../http/request/message.js";

/** Ends a stream with the signal's reason when the signal aborts, even while nothing reads it. */
export function cutStream<P extends Piece>(
  pieces: AsyncIterable<P>,
  cut: AbortSignal | undefined,
): AsyncIterable<P> {
  if (cut === undefined) return pieces;
  return {
    [Symbol.asyncIterator]() {
      const iterator = pieces[Symbol.asyncIterator]();
      const stop = onCut(cut, () => breakOff(iterator, cut.reason));
      return {
        async next() {
          if (cut.aborted) throw cut.reason;
          const result = await iterator.next();
          if (cut.aborted) throw cut.reason;
          if (result.done) stop();
          return result;
        },
        async return() {
          stop();
          return (await iterator.return?.()) ?? { done: true, value: undefined };
        },
      };
    },
  };
}
