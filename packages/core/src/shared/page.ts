import { err, ok, type Result } from "neverthrow";
import { fromBase64Url, toBase64Url, toUtf8 } from "./bytes.js";
import type { Failure } from "./failure.js";
import { toStorableText } from "./storable-text.js";

export interface PageQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** The error for a cursor that the gateway did not create. */
export const badCursor: Failure<"invalid_request"> = {
  code: "invalid_request",
  errors: [
    { path: "cursor", code: "invalid", message: "Send the nextCursor of the previous page" },
  ],
};

/** Encodes a position in a list as an opaque cursor (§0). */
export const toCursor = (position: string): string => toBase64Url(toUtf8(position));

/** Decodes a cursor. Returns `start` if there is none, or an empty one. */
export function parseCursor(
  cursor: string | undefined,
  start: string,
): Result<string, Failure<"invalid_request">> {
  if (cursor === undefined || cursor === "") return ok(start);
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(fromBase64Url(cursor));
    return text === toStorableText(text) ? ok(text) : err(badCursor);
  } catch {
    return err(badCursor);
  }
}

/** Decodes the cursor of a list that is ordered by id. Returns `start` if there is none, or an empty one. */
export const parseIdCursor = (
  cursor: string | undefined,
  start: number,
): Result<number, Failure<"invalid_request">> =>
  parseCursor(cursor, String(start)).andThen((text) => {
    const id = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    return Number.isSafeInteger(id) ? ok(id) : err(badCursor);
  });

/** Returns the page and its next cursor. `items` were read with a limit that is one higher. */
export function toPage<Item>(
  items: readonly Item[],
  limit: number,
  positionOf: (item: Item) => string,
): { page: readonly Item[]; nextCursor: string | null } {
  const page = items.slice(0, limit);
  const last = page.at(-1);
  const hasMore = items.length > limit && last !== undefined;
  return { page, nextCursor: hasMore ? toCursor(positionOf(last)) : null };
}
