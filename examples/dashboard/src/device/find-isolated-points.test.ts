import { expect, test } from "vitest";
import { findIsolatedPoints } from "./find-isolated-points.js";

test("a value between gaps, or alone at an end, is found; one of a line is not", () => {
  expect(findIsolatedPoints([1, null, 2, 3, null, 4, null, null, 0])).toEqual([0, 5, 8]);
  expect(findIsolatedPoints([1, 2, undefined, null])).toEqual([]);
  expect(findIsolatedPoints([])).toEqual([]);
});
