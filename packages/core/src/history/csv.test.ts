import fc from "fast-check";
import { expect, test } from "vitest";
import { toCsvLine } from "./csv.js";

/** Returns the fields of one line of RFC 4180, as a spreadsheet that splits at commas reads them. */
function parseLine(line: string): string[] {
  const fields: string[] = [];
  const field = /("(?:[^"]|"")*"|[^,"\r\n]*)(,|\r\n)/y;
  for (let match = field.exec(line); match !== null; match = field.exec(line)) {
    const text = match[1] as string;
    fields.push(text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text);
    if (match[2] === "\r\n") break;
  }
  return fields;
}

/**
 * Returns whether a spreadsheet may run a cell: its first visible character starts a formula, and it is not a number.
 */
const isFormula = (cell: string) =>
  /^[\s\p{C}"]*[=+\-@＝＋－＠]/u.test(cell) && !/^[+-]?\d+(\.\d+)?$/.test(cell);

const dangerous = fc.stringMatching(/^[xy1 "';|,\t\r\n\u00a0\u200b=+\-@＝＋－＠]{0,12}$/u);
const texts = fc.oneof(dangerous, fc.string({ unit: "grapheme" }));

test("§7 no text becomes a formula, whichever separator the spreadsheet uses", () => {
  fc.assert(
    fc.property(fc.array(texts, { minLength: 1, maxLength: 4 }), (values) => {
      const line = toCsvLine(["2025-01-01T00:00:00.000Z", ...values]);
      const cells = parseLine(line);
      expect(cells).toHaveLength(values.length + 1);
      expect(cells.filter(isFormula)).toEqual([]);
      for (const cell of cells) expect(cell).not.toMatch(/^[\t\r\n]/);
      // A spreadsheet with another separator ignores quotes inside a cell.
      expect(line.split(/[;|\t\r\n]/).filter(isFormula)).toEqual([]);
    }),
    { numRuns: 2_000 },
  );
});

test("§7 the only changes to a text are apostrophes before formulas", () => {
  fc.assert(
    fc.property(texts, (text) => {
      const [cell] = parseLine(toCsvLine([text]));
      expect(cell?.replaceAll("'", "")).toBe(text.replaceAll("'", ""));
    }),
  );
  for (const text of ["a=b", "1,-2", "x - y", "a@b.example", "-1.5", "+3", "a; b", "{}"]) {
    expect(parseLine(toCsvLine([text]))).toEqual([text]);
  }
});

test.each([
  ["=1+1", "'=1+1"],
  ["x;=1+1", "x;'=1+1"],
  ['x; "=1+1', "x; \"'=1+1"],
  ["＝1+1", "'＝1+1"],
  ["＋1", "'＋1"],
  ["－1", "'－1"],
  ["＠SUM(A1)", "'＠SUM(A1)"],
  ["\n=1+1", "'\n'=1+1"],
  ["\tx", "'\tx"],
  ["\rx", "'\rx"],
  ["\nx", "'\nx"],
  ["-1+1", "'-1+1"],
  ["x|\u{E0001}=1", "x|\u{E0001}'=1"],
  ["x|\uD83D=1", "x|\uD83D'=1"],
  ["😀=1;😀=1", "😀=1;😀=1"],
  ["=;=;=", "'=;'=;'="],
])("§7 the text %j is written as %j", (text, written) => {
  expect(parseLine(toCsvLine([text]))).toEqual([written]);
});

test("§7 numbers and booleans stay unchanged", () => {
  expect(toCsvLine([-1.5, 2, -0.001, 1e21, true, null, undefined])).toBe(
    "-1.5,2,-0.001,1e+21,true,,\r\n",
  );
});

test("the time to write a long text of separators and blanks grows only with its length", () => {
  // A pattern that looks ahead at each character would take hours.
  const text = "\t ".repeat(500_000);
  expect(toCsvLine([text])).toHaveLength(1_000_000 + "'\r\n".length);
});
