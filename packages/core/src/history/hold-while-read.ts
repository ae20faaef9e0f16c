/** A stream that gives back what it holds once: when it has ended, breaks off, or is let go of. */
export function holdWhileRead<Piece>(
  pieces: AsyncGenerator<Piece>,
  giveBack: () => void,
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
      giveBack();
      return pieces.return(undefined);
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}
