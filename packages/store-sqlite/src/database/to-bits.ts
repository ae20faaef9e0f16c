/** A row as SQLite takes it: it has no booleans, so flags are 0 or 1. */
export type Bits<Row> = {
  readonly [Name in keyof Row]:
    | Exclude<Row[Name], boolean>
    | (true extends Row[Name] ? 0 | 1 : never);
};

/** Replaces the booleans of a row by 0 and 1. */
export const toBits = <Row extends object>(row: Row): Bits<Row> =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]: [string, unknown]) => [
      name,
      typeof value === "boolean" ? Number(value) : value,
    ]),
  ) as Bits<Row>;
