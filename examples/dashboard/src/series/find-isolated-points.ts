/**
 * Returns the indexes of values without neighbours. They need a dot, because no line runs through them. A null value is
 * a gap, and an undefined one is not a point of this line.
 */
export function findIsolatedPoints(values: readonly (number | null | undefined)[]): number[] {
  const own = values.flatMap((value, i) => (value === undefined ? [] : [{ value, i }]));
  return own.flatMap(({ value, i }, n) => {
    const isAlone = (own[n - 1]?.value ?? null) === null && (own[n + 1]?.value ?? null) === null;
    return value !== null && isAlone ? [i] : [];
  });
}
