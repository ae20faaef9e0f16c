import { expect, test } from "vitest";
import { findIsolatedPoints } from "./find-isolated-points.js";

test("a value without neighbours is found, also at the ends; a value on a line is not", () => {
  expect(findIsolatedPoints([1, null, 2, 3, null, 4, null, null, 0])).toEqual([0, 5, 8]);
  expect(findIsolatedPoints([1, 2, undefined, null])).toEqual([]);
  expect(findIsolatedPoints([])).toEqual([]);
});
