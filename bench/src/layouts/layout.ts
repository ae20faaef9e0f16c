import type { Database } from "better-sqlite3";
import type { Buckets } from "../buckets.js";
import type { BenchRecord } from "../fleet.js";

export interface Span {
  readonly device: number;
  readonly from: number;
  /** Not in it any more. */
  readonly to: number;
}

export interface ChartQuery extends Span {
  readonly metrics: readonly string[];
  readonly bucketMs: number;
}

/** What roll-ups are made of. Records of one shape have the very same `names`. */
export interface Sample {
  readonly at: number;
  readonly names: readonly (string | null)[];
  readonly values: ArrayLike<number>;
}

/** The ways in and out of one layout, prepared on a database of its own. */
export interface LayoutTables {
  /** Stores records, inside a transaction of the caller's; says how many were none yet. */
  append(records: readonly BenchRecord[]): number;
  /** Charts from raw records. */
  chart(query: ChartQuery): Buckets;
  /** A record's text, whole. */
  read(device: number, at: number): string | undefined;
  /** Texts ascending by time, streamed. */
  bodies(span: Span): Iterable<string>;
  samples(span: Span): Iterable<Sample>;
  /** Removes some of what was received before; done when it returns 0. One transaction a call. */
  removeSome(before: number, limit: number): number;
  /** Moves some of what was received before to its final place; done when it returns 0. */
  settleSome?(before: number): number;
}

export interface Layout {
  readonly name: string;
  readonly title: string;
  open(database: Database): LayoutTables;
}

export const deviceIdOf = (device: number): string =>
  `gateway-${device.toString(16).padStart(8, "0")}`;
