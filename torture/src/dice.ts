/** A seeded random generator: the same seed gives the same sequence. */
export interface Dice {
  /** A number from 0 (inclusive) to 1 (exclusive). */
  next(): number;
  /** An integer from 0 to `bound` - 1. */
  int(bound: number): number;
  chance(probability: number): boolean;
  pick<const Item>(items: readonly Item[]): Item;
  /** Random capital letters and digits, like a claim code. */
  code(length: number): string;
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/** Mulberry32: fast, and random enough to choose attacks. */
export function createDice(seed: number): Dice {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (bound: number) => Math.floor(next() * bound);
  return {
    next,
    int,
    chance: (probability) => next() < probability,
    pick: (items) => {
      if (items.length === 0) throw new RangeError("Cannot pick from an empty list.");
      return items[int(items.length)] as (typeof items)[number];
    },
    code: (length) => Array.from({ length }, () => letters[int(letters.length)]).join(""),
  };
}

/** Derives a seed for each round, so that one round can be reproduced alone. */
export const seedOfRound = (seed: number, round: number): number =>
  Math.imul((seed ^ 0x9e3779b9) + round, 0x85ebca6b) >>> 0;
