/** A sample or a bucket: its values in the order of the record. */
export interface HistoryPoint {
  readonly timestamp: string;
  readonly values: readonly (readonly [name: string, value: unknown])[];
}

/** Points in the order of time, and where what is older begins; null if there is none. */
export interface HistoryPart {
  readonly points: readonly HistoryPoint[];
  readonly next: string | null;
}
