import fc from "fast-check";
import { expect, test } from "vitest";
import { toUtf8 } from "../shared/bytes.js";
import { inPieces } from "./in-pieces.js";

const most = 32 * 1024;
const decode = (bytes: Uint8Array) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);

test("pieces contain the text of the lines, and none is empty or longer than 32 Ki characters", () => {
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

test("no piece ends within a character, because each is encoded as UTF-8 on its own", () => {
  for (const before of ["", "x"]) {
    const text = before + "😀".repeat(most);
    const pieces = [...inPieces([text])];
    expect(pieces.map((piece) => decode(toUtf8(piece))).join("") === text).toBe(true);
  }
});

test("an unpaired surrogate does not stop the stream", () => {
  const text = "\uD83D".repeat(3 * most);
  expect([...inPieces([text])].join("") === text).toBe(true);
});

test("a short page is one piece, and an empty page is none", () => {
  expect([...inPieces(["a\n", "b\n"])]).toEqual(["a\nb\n"]);
  expect([...inPieces([])]).toEqual([]);
});
