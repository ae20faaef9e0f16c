import { createSeededNumbers } from "../../packages/testing/src/fixtures/seeded-random.js";

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

export function createDice(seed: number): Dice {
  const next = createSeededNumbers(seed);
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
