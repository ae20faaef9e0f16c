import { expect, test } from "vitest";
import {
  formatDuration,
  formatExact,
  formatNumber,
  roundTime,
  scaleNumbers,
  shortenHashes,
} from "./format.js";

/** Removes the difference between locales with a decimal comma and a decimal point. */
const plain = (text: string) => text.replace(",", ".");

test("a reading keeps its significant digits, however small it is", () => {
  expect([0, 21.456, -0.5].map((value) => formatNumber(value)).map(plain)).toEqual([
    "0",
    "21.46",
    "-0.5",
  ]);
  expect([0.00002, -0.000123456].map((value) => formatNumber(value)).map(plain)).toEqual([
    "0.00002",
    "-0.0001235",
  ]);
});

test("an exact number has all its digits", () => {
  const digits = [0, 3.652, 101.375, -0.1, 0.000012345678].map(formatExact).map(plain);
  expect(digits).toEqual(["0", "3.652", "101.375", "-0.1", "0.000012345678"]);
  expect([1.5e-9, -1e300].map(formatExact)).toEqual(["1.5e-9", "-1e+300"]);
});

test("the numbers of a scale differ, however close they are", () => {
  const scale = (values: number[], step: number) => scaleNumbers(values, step).map(plain);
  expect(scale([0, 0.00001, 0.00002], 0.00001)).toEqual(["0", "0.00001", "0.00002"]);
  expect(scale([100, 102.5, 105], 2.5)).toEqual(["100", "102.5", "105"]);
  expect(scale([0, 200], 200)).toEqual(["0", "200"]);
});

test("a duration is shown in the largest unit that it fills", () => {
  expect([10, 90, 10_800, 86_400, 172_800].map(formatDuration).map(plain)).toEqual([
    ...["10 s", "1.5 min", "3 h", "1 day", "2 days"],
  ]);
});

test("a hash in a text is shortened to its first digits; a longer hexadecimal text is not", () => {
  const hash = "0123456789ab".padEnd(64, "c");
  expect(shortenHashes(`It is ${hash}.`)).toBe("It is 0123456789ab….");
  expect(shortenHashes(`${hash}c`)).toBe(`${hash}c`);
});

test("a rounded duration has whole minutes, or tenths of hours and days", () => {
  expect([425, 29_960, 200_000].map(roundTime).map(formatDuration)).toEqual([
    "7 min",
    "8.3 h",
    "2.3 days",
  ]);
});
