import type { Random } from "../ports/random.js";

/**
 * Creates a generator that gives the same bytes for the same seed (mulberry32). For tests alone:
 * anybody can predict it.
 */
export function createSeededRandom(seed = 1): Random {
  let state = seed >>> 0;
  const nextByte = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 24;
  };
  return { bytes: (length) => Uint8Array.from({ length }, nextByte) };
}
