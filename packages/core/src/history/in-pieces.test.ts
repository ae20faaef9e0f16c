import fc from "fast-check";
import { expect, test } from "vitest";
import { toUtf8 } from "../shared/bytes.js";
import { inPieces } from "./in-pieces.js";

const most = 32 * 1024;
const decode = (bytes: Uint8Array) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);

test("pieces are the lines' text, none longer than 32 Ki characters and none empty", () => {
  const line = fc.tuple(fc.string({ unit: "grapheme", maxLength: 40 }), fc.nat(4_000));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), (drawn) => {
      const lines = drawn.map(([text, times]) => `${text.repeat(times)}\n`);
      const pieces = [...inPieces(lines)];
      expect(pieces.join("") === lines.join("")).toBe(true);
      for (const { length } of pieces) expect(length > 0 && length <= most).toBe(true);
      for (const { length } of pieces.slice(0, -1)) expect(length).toBeGreaterThanOrEqual(most - 1);
    }),
    { numRuns: 50 },
  );
});

test("no piece ends within a character: each is written as UTF-8 by itself", () => {
  for (const before of ["", "x"]) {
    const text = before + "😀".repeat(most);
    const pieces = [...inPieces([text])];
    expect(pieces.map((piece) => decode(toUtf8(piece))).join("") === text).toBe(true);
  }
});

test("half a character that has no other half is no reason to stop", () => {
  const text = "\uD83D".repeat(3 * most);
  expect([...inPieces([text])].join("") === text).toBe(true);
});

test("lines are gathered: a short page is one piece, and nothing is none", () => {
  expect([...inPieces(["a\n", "b\n"])]).toEqual(["a\nb\n"]);
  expect([...inPieces([])]).toEqual([]);
});
