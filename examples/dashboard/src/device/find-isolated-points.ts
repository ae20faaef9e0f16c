/** Returns the indexes of values without neighbours. They need a dot, because no line runs through them. */
export const findIsolatedPoints = (values: readonly (number | null | undefined)[]): number[] =>
  values.flatMap((value, i) =>
    value != null && values[i - 1] == null && values[i + 1] == null ? [i] : [],
  );
