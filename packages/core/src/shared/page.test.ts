import fc from "fast-check";
import { expect, test } from "vitest";
import { parseCursor, toCursor, toPage } from "./page.js";

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
