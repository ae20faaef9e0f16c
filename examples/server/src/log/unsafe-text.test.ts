import fc from "fast-check";
import { expect, test } from "vitest";
import { isUnsafeText, toSafeLine, toSafeLines } from "./unsafe-text.js";

/** Unsafe text by what it does where it is shown. */
const unsafe = {
  "a line": "\n",
  "an overwritten line": "\r",
  "a terminal command": "\u001b[2J",
  "a command in one byte": "\u009b2J",
  "a bell": "\u0007",
  backspace: "\b",
  delete: "\u007f",
  "a line separator": "\u2028",
  "a paragraph separator": "\u2029",
  "text from right to left": "\u202e",
  isolates: "\u2066\u2069",
  "a mark": "\u200f",
  "half a character": "\ud800",
};

test.each(Object.entries(unsafe))("%s is escaped", (_, text) => {
  expect(isUnsafeText(`a${text}b`)).toBe(true);
  expect(toSafeLine(`a${text}b`)).toMatch(/^a\\u[0-9a-f]{4}.*b$/);
  expect(isUnsafeText(toSafeLine(text))).toBe(false);
});

test("any text becomes safe, and toSafeLines keeps its newlines", () => {
  const text = fc.string({
    unit: fc.constantFrom(...Object.values(unsafe), "a", "é", "🔑", " ", "\\"),
  });
  fc.assert(
    fc.property(text, (given) => {
      expect(isUnsafeText(toSafeLine(given))).toBe(false);
      expect(toSafeLines(given)).toBe(given.split("\n").map(toSafeLine).join("\n"));
    }),
  );
});

test("text in any script, and joined emoji, stay unchanged", () => {
  for (const text of ["Åsa Ødegård", "ابن سينا", "שלום", "李小龍", "क्षेत्र", "👩‍🚒", "a\u00a0b"]) {
    expect([isUnsafeText(text), toSafeLine(text)]).toEqual([false, text]);
  }
});
