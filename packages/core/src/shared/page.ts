import { err, ok, type Result } from "neverthrow";
import { fromBase64Url, toBase64Url, toUtf8 } from "./bytes.js";
import type { Failure } from "./failure.js";
import { toStorableText } from "./storable-text.js";

export interface PageQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** A cursor that we did not give out. */
export const badCursor: Failure<"invalid_request"> = {
  code: "invalid_request",
  errors: [{ path: "cursor", code: "invalid", message: "Send the nextCursor of the page before" }],
};

/** Hides where a list goes on behind an opaque cursor (contract §0). */
export const toCursor = (position: string): string => toBase64Url(toUtf8(position));

/** Reads a cursor of ours; without one, `start`. */
export function parseCursor(
  cursor: string | undefined,
  start: string,
): Result<string, Failure<"invalid_request">> {
  if (cursor === undefined) return ok(start);
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(fromBase64Url(cursor));
    return text === toStorableText(text) ? ok(text) : err(badCursor);
  } catch {
    return err(badCursor);
  }
}

/** Reads a cursor of ours in a list by id; without one, `start`. */
export const parseIdCursor = (
  cursor: string | undefined,
  start: number,
): Result<number, Failure<"invalid_request">> =>
  parseCursor(cursor, String(start)).andThen((text) => {
    const id = Number(text);
    return Number.isSafeInteger(id) && id >= 0 ? ok(id) : err(badCursor);
  });

/** Splits what was read with one item more than the limit into the page and where it goes on. */
export function toPage<Item>(
  items: readonly Item[],
  limit: number,
  positionOf: (item: Item) => string,
): { page: readonly Item[]; nextCursor: string | null } {
  const page = items.slice(0, limit);
  const last = page.at(-1);
  const goesOn = items.length > limit && last !== undefined;
  return { page, nextCursor: goesOn ? toCursor(positionOf(last)) : null };
}
