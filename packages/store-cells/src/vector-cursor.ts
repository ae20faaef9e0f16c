/** Writes one cursor for each store as one cursor. */
export const toVector = (cursors: readonly string[]): string =>
  cursors.map(encodeURIComponent).join(",");

/** Reads a cursor of `toVector`. Returns null if it is none, or is for another number of stores. */
export function fromVector(text: string, count: number): readonly string[] | null {
  const parts = text.split(",");
  if (parts.length !== count) return null;
  try {
    return parts.map(decodeURIComponent);
  } catch {
    return null;
  }
}
