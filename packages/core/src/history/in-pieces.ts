/**
 * A client's progress is seen when a whole piece has left the process, and it has a minute for that
 * (contract §9). This is little beside what the system buffers, which is not ours to choose.
 */
const pieceLength = 32 * 1024;

/** Where a piece ends that begins at a place: before a surrogate pair that it would cut in two. */
function endOfPiece(text: string, start: number): number {
  const end = start + pieceLength;
  return /[\uD800-\uDBFF]/.test(text.charAt(end - 1)) ? end - 1 : end;
}

/** Joins lines to pieces, and cuts those that are longer: at most 32 Ki characters, whole ones. */
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
