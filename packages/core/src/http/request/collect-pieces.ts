import { concatBytes } from "@noble/hashes/utils.js";

/** Pieces of one level that are merged into one piece of the next level. */
const mergedAtOnce = 64;

/**
 * Collects the pieces of a body. Each stored piece takes some 200 bytes besides its content, so a body that arrives
 * byte by byte would take 200 times its length. Therefore 64 pieces are merged into one, and 64 of those into one
 * again.
 */
export function collectPieces() {
  const levels: Uint8Array[][] = [];
  const add = (piece: Uint8Array, level = 0): void => {
    levels[level] ??= [];
    const pieces = levels[level];
    pieces.push(piece);
    if (pieces.length < mergedAtOnce) return;
    levels[level] = [];
    add(concatBytes(...pieces), level + 1);
  };
  return {
    add: (piece: Uint8Array) => add(piece),
    /** Returns the whole body in order. A body of one piece, as most are, is not copied. */
    joined(): Uint8Array {
      const pieces = levels.toReversed().flat();
      return pieces.length === 1 ? (pieces[0] as Uint8Array) : concatBytes(...pieces);
    },
    forget(): void {
      levels.length = 0;
    },
  };
}
