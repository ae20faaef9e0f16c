/** Pieces that lie side by side before they are put together. */
const side = 64;

/**
 * Gathers a body's pieces. Some 200 bytes go with each piece that is kept, so that a body that comes
 * byte by byte would take up two hundred times its length: so every 64 of them become one, and every
 * 64 of those.
 */
export function collectPieces() {
  const levels: Buffer[][] = [];
  const add = (piece: Buffer, level = 0): void => {
    levels[level] ??= [];
    const pieces = levels[level];
    pieces.push(piece);
    if (pieces.length < side) return;
    levels[level] = [];
    add(Buffer.concat(pieces), level + 1);
  };
  return {
    add: (piece: Buffer) => add(piece),
    /** In the order in which they came. */
    all: (): readonly Buffer[] => levels.toReversed().flat(),
    forget(): void {
      levels.length = 0;
    },
  };
}
