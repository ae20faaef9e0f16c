import fc from "fast-check";
import { expect, test } from "vitest";
import { parseTimestamp, toTimestamp } from "./timestamp.js";

test("§0 a time of a response is valid in a request and means the same", () => {
  fc.assert(
    fc.property(
      fc.date({ noInvalidDate: true, min: new Date(0), max: new Date("9999-12-31") }),
      (date) => {
        expect(toTimestamp(date.getTime())).toBe(date.toISOString());
        expect(parseTimestamp(toTimestamp(date.getTime()))).toBe(date.getTime());
        expect(parseTimestamp(date.getTime())).toBe(date.getTime());
      },
    ),
  );
});

test("§0 a time is ISO 8601 with a time zone or a number of epoch milliseconds, and nothing else", () => {
  expect(parseTimestamp("2025-01-01T02:00:00+02:00")).toBe(Date.UTC(2025, 0, 1));
  expect(parseTimestamp("2025-01-01T00:00:00.123456Z")).toBe(Date.UTC(2025, 0, 1, 0, 0, 0, 123));
  expect(parseTimestamp(1.9)).toBe(1);
  const invalid = [
    "",
    "now",
    "2025-01-01",
    "2025-01-01T00:00:00",
    "2025-02-30T00:00:00Z",
    "1735689600000",
  ];
  for (const text of [...invalid, true, {}, [], Number.POSITIVE_INFINITY]) {
    expect([text, parseTimestamp(text)]).toEqual([text, undefined]);
  }
});
