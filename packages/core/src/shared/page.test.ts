import fc from "fast-check";
import { expect, test } from "vitest";
import { parseCursor, parseIdCursor, toCursor, toPage } from "./page.js";

test("§0 a cursor decodes to the position that it was created from", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (position) => {
      expect(parseCursor(toCursor(position), "")._unsafeUnwrap()).toBe(position);
    }),
  );
  expect(parseCursor(undefined, "start")._unsafeUnwrap()).toBe("start");
  expect(parseCursor("_w", "")._unsafeUnwrapErr().code).toBe("invalid_request");
});

test("§0 nextCursor is null exactly on the last page", () => {
  const items = ["a", "b", "c"];
  expect(toPage(items, 3, (item) => item)).toEqual({ page: items, nextCursor: null });
  expect(toPage(items, 2, (item) => item)).toEqual({
    page: ["a", "b"],
    nextCursor: toCursor("b"),
  });
  expect(toPage([], 2, String)).toEqual({ page: [], nextCursor: null });
});

test("§0 a cursor of an id has only digits, and an empty one is the first page", () => {
  expect(parseIdCursor(toCursor("42"), 9)._unsafeUnwrap()).toBe(42);
  for (const none of [undefined, ""]) expect(parseIdCursor(none, 9)._unsafeUnwrap()).toBe(9);
  for (const text of [" ", "1e3", "0x10", "-1", "1.5", "9".repeat(17)])
    expect(parseIdCursor(toCursor(text), 9)._unsafeUnwrapErr().code).toBe("invalid_request");
});
