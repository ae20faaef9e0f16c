/**
 * Writes a position as a cursor of `TelemetryStore.follow`, for stores whose positions are one sequence.
 *
 * @example
 * const next = toFollowCursor(rows.at(-1)?.position ?? position);
 */
export const toFollowCursor = (position: number): string => String(position);

/**
 * Reads a cursor of `TelemetryStore.follow`. The empty cursor is position 0.
 * @throws {TypeError} if the text is not a cursor.
 *
 * @example
 * const position = fromFollowCursor(after);
 * const rows = listAfter.all(position, limit);
 */
export function fromFollowCursor(cursor: string): number {
  const position = cursor === "" ? 0 : Number(cursor);
  if (/^\d*$/.test(cursor) && Number.isSafeInteger(position)) return position;
  throw new TypeError("after: this is not a cursor. Pass the `next` of an earlier page.");
}
