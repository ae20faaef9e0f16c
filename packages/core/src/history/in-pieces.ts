/**
 * Length of a piece. A client has a minute to take a whole piece, because progress is noticed only then (§9). It is
 * small compared with the system's buffers, whose size cannot be chosen here.
 */
const pieceLength = 32 * 1024;

/** Returns the end of the piece that begins at `start`. It never splits a surrogate pair. */
function endOfPiece(text: string, start: number): number {
  const end = start + pieceLength;
  return /[\uD800-\uDBFF]/.test(text.charAt(end - 1)) ? end - 1 : end;
}

/** Joins lines to pieces of at most 32 Ki UTF-16 code units, and splits longer lines. Never splits a character. */
export function* inPieces(lines: Iterable<string>): Generator<string> {
  let text = "";
  for (const line of lines) {
    text += line;
    let start = 0;
    while (text.length - start >= pieceLength) {
      const end = endOfPiece(text, start);
      yield text.slice(start, end);
      start = end;
    }
    text = text.slice(start);
  }
  if (text !== "") yield text;
}
