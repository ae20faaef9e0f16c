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

/** Values of one answer; beyond them it ends sooner than its limit says, and goes on by its cursor. */
const mostValues = 200_000;

/**
 * Puts a part together from smaller ones, the newest first, so that no more than one of them is in
 * memory as the store gave it. `readSome` gives the newest of at most so many points before a place.
 */
export async function gatherPart(
  limit: number,
  most: number,
  start: string | null,
  readSome: (place: string | null, limit: number) => Promise<HistoryPart>,
): Promise<HistoryPart> {
  const parts: HistoryPart["points"][] = [];
  let place = start;
  let values = 0;
  for (let left = limit; left > 0 && values < mostValues; left -= most) {
    const { points, next } = await readSome(place, Math.min(left, most));
    parts.unshift(points);
    place = next;
    if (next === null) break;
    for (const point of points) values += point.values.length;
  }
  return { points: parts.flat(), next: place };
}
