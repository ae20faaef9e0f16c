import type { Database } from "better-sqlite3";
import type { Buckets } from "../buckets.js";
import { decimalsOf, powers } from "../encoding/decimals.js";
import type { ChartQuery, Sample } from "../layouts/layout.js";

/** One metric over one hour; its count is that of its shape's records. */
export interface HourPart {
  readonly min: number;
  readonly max: number;
  readonly sum: number;
  readonly first: number;
  readonly last: number;
}

/** A device's hour, for each shape that its records had in it. */
export interface ShapeHour {
  readonly names: readonly (string | null)[];
  readonly count: number;
  readonly parts: readonly HourPart[];
}

export interface RollupTables {
  put(device: number, hour: number, shapes: readonly ShapeHour[]): void;
  /** Brings a day that is past to its final form. */
  closeDay?(device: number, day: number): void;
  chart(query: ChartQuery): Buckets;
}

export interface Rollup {
  readonly name: string;
  open(database: Database): RollupTables;
}

/** Adds decimals as the whole numbers that they are: exact, in whatever order they come. */
function sumOf(values: readonly number[]): number {
  let digits = 0;
  for (const value of values) digits = Math.max(digits, decimalsOf(value));
  const power = powers[digits];
  const sum = power && values.reduce((total, value) => total + Math.round(value * power), 0);
  if (power && Number.isSafeInteger(sum)) return (sum as number) / power;
  return values.reduce((total, value) => total + value, 0);
}

/** Rolls up the records of one hour of one device. */
export function rollUp(samples: Iterable<Sample>): ShapeHour[] {
  const groups = new Map<string, Sample[]>();
  // Layouts that know shapes give the same list again: it need not be compared name by name.
  const known = new Map<Sample["names"], Sample[]>();
  for (const sample of samples) {
    let group = known.get(sample.names);
    if (group === undefined) {
      const key = sample.names.join("\n");
      group = groups.get(key) ?? [];
      groups.set(key, group);
      known.set(sample.names, group);
    }
    group.push(sample);
  }
  return [...groups.values()].map((group) => {
    const names = group[0]?.names ?? [];
    const parts = names.map((_, place): HourPart => {
      const values = group.map((sample) => sample.values[place] as number);
      let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
      for (const value of values) {
        if (value < min) min = value;
        if (value > max) max = value;
      }
      return {
        min,
        max,
        sum: sumOf(values),
        first: values[0] as number,
        last: values.at(-1) as number,
      };
    });
    return { names, count: group.length, parts };
  });
}
