/**
 * A stream that gives back what it holds when it has ended, breaks off, or is let go of. Who lets go of
 * it while a piece is being made has it stopped at once, and given back when that has come to an end.
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
