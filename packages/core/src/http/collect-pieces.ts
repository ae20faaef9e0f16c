import { concatBytes } from "@noble/hashes/utils.js";

/** Pieces that lie side by side before they are put together. */
const side = 64;

/**
 * Gathers a body's pieces. Some 200 bytes go with each piece that is kept, so that a body that comes
 * byte by byte would take up two hundred times its length: so every 64 of them become one, and every
 * 64 of those.
 */
export function collectPieces() {
  const levels: Uint8Array[][] = [];
  const add = (piece: Uint8Array, level = 0): void => {
    levels[level] ??= [];
    const pieces = levels[level];
    pieces.push(piece);
    if (pieces.length < side) return;
    levels[level] = [];
    add(concatBytes(...pieces), level + 1);
  };
  return {
    add: (piece: Uint8Array) => add(piece),
    /** The whole, in the order in which it came. Most bodies come in one piece, which is not copied. */
    joined(): Uint8Array {
      const pieces = levels.toReversed().flat();
      return pieces.length === 1 ? (pieces[0] as Uint8Array) : concatBytes(...pieces);
    },
    forget(): void {
      levels.length = 0;
    },
  };
}
