/** Returns the index of the point to which a key moves the cursor, or undefined if the key does not move it. */
export function nextPoint(
  points: readonly (number | null)[],
  from: number,
  key: string,
): number | undefined {
  const before = points.slice(0, Math.max(0, from));
  const isPoint = (value: number | null) => value !== null;
  const moves: Readonly<Record<string, () => number>> = {
    ArrowLeft: () => before.findLastIndex(isPoint),
    ArrowRight: () => points.findIndex((value, i) => i > from && isPoint(value)),
    Home: () => points.findIndex(isPoint),
    End: () => points.findLastIndex(isPoint),
  };
  if (!Object.hasOwn(moves, key)) return undefined;
  const index = moves[key]?.() ?? -1;
  return index < 0 ? from : index;
}
