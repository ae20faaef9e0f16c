/** The places of values that have no neighbour: a line through them is a dot that nobody sees. */
export const findIsolatedPoints = (values: readonly (number | null | undefined)[]): number[] =>
  values.flatMap((value, i) =>
    value != null && values[i - 1] == null && values[i + 1] == null ? [i] : [],
  );
