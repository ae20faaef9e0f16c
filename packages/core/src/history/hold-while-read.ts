/**
 * Wraps a stream so that it releases what it holds when it ends, fails or is cancelled. A stream that is cancelled
 * while it creates a piece is stopped at once, and releases what it holds when that piece is finished.
 */
export function holdWhileRead<Piece>(
  pieces: AsyncGenerator<Piece>,
  { stop, giveBack }: { stop(): void; giveBack(): void },
): AsyncIterable<Piece> {
  const iterator: AsyncIterator<Piece> = {
    async next() {
      try {
        const result = await pieces.next();
        if (result.done) giveBack();
        return result;
      } catch (error) {
        giveBack();
        throw error;
      }
    },
    async return() {
      stop();
      return pieces.return(undefined).finally(giveBack);
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}
