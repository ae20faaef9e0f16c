import type { Series } from "./to-series.js";

/** Returns the index of the point to which a key moves the cursor, or undefined if the key does not move it. */
export function nextPoint({ avg }: Series, from: number, key: string): number | undefined {
  const before = avg.slice(0, Math.max(0, from));
  const isPoint = (value: number | null) => value !== null;
  const moves: Readonly<Record<string, () => number>> = {
    ArrowLeft: () => before.findLastIndex(isPoint),
    ArrowRight: () => avg.findIndex((value, i) => i > from && isPoint(value)),
    Home: () => avg.findIndex(isPoint),
    End: () => avg.findLastIndex(isPoint),
  };
  if (!Object.hasOwn(moves, key)) return undefined;
  const index = moves[key]?.() ?? -1;
  return index < 0 ? from : index;
}
