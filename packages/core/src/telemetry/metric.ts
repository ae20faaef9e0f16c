/** A number or boolean (as 0 or 1) of a record. Its name is its path. */
export interface Metric {
  readonly name: string;
  readonly value: number;
}
