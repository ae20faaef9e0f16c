import { expect, test } from "vitest";
import { findLone } from "./find-lone.js";

test("a value between gaps, or alone at an end, is found; one of a line is not", () => {
  expect(findLone([1, null, 2, 3, null, 4, null, null, 0])).toEqual([0, 5, 8]);
  expect(findLone([1, 2, undefined, null])).toEqual([]);
  expect(findLone([])).toEqual([]);
});
