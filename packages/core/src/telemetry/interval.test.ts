import fc from "fast-check";
import { expect, test } from "vitest";
import {
  bucketStart,
  chooseInterval,
  countBuckets,
  formatInterval,
  parseInterval,
} from "./interval.js";

const day = 86_400_000;

test("§7 a formatted interval parses to the same interval", () => {
  const written = { "30s": 30_000, "1m": 60_000, "5m": 300_000, "1h": 3_600_000, "1d": day };
  for (const [text, ms] of Object.entries(written)) {
    expect(parseInterval(text)).toBe(ms);
    expect(formatInterval(ms)).toBe(text);
  }
  expect(formatInterval(90_000)).toBe("90s");
  for (const bad of ["0s", "-1m", "1", "m", "1w", "1.5h", ""]) {
    expect(parseInterval(bad)).toBeUndefined();
  }
});

test("§7 automatic buckets fit the limit, and no shorter interval would", () => {
  const from = fc.integer({ min: 0, max: 2_000 * day });
  const span = fc.integer({ min: 1, max: 800 * day });
  const limit = fc.integer({ min: 2, max: 5_000 });
  fc.assert(
    fc.property(from, span, limit, (start, length, most) => {
      const step = chooseInterval(start, start + length, most);
      expect(countBuckets(start, start + length, step)).toBeLessThanOrEqual(most);
    }),
  );
  expect(formatInterval(chooseInterval(0, 6 * 3_600_000, 60))).toBe("10m");
  expect(formatInterval(chooseInterval(0, 30 * day, 300))).toBe("3h");
  expect(formatInterval(chooseInterval(0, 365 * day, 300))).toBe("2d");
});

test("a range overlaps as many buckets as its times have bucket starts", () => {
  const small = fc.integer({ min: 0, max: 500 });
  fc.assert(
    fc.property(small, small, fc.integer({ min: 1, max: 50 }), (from, length, interval) => {
      const starts = new Set<number>();
      for (let at = from; at < from + length; at++) starts.add(bucketStart(at, interval));
      expect(countBuckets(from, from + length, interval)).toBe(starts.size);
    }),
  );
});
