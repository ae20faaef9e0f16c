import { expect, test } from "vitest";
import { isAtLeast } from "./is-at-least.js";

test("versions are compared as numbers", () => {
  expect(isAtLeast("1.1.0", "1.1.0")).toBe(true);
  expect(isAtLeast("01.1.0", "1.1.0")).toBe(true);
  expect(isAtLeast("1.10.0", "1.9.0")).toBe(true);
  expect(isAtLeast("1.11.0", "11.1.0")).toBe(false);
  expect(isAtLeast("1.0.9", "1.1.0")).toBe(false);
});
