import fc from "fast-check";
import { expect, it } from "vitest";
import { createBucketFolder, type MetricBucket } from "./bucket.js";

const minute = 60_000;
const names = ["a"];

/** A double as a whole number of 2^-1074, the smallest there is. */
function exactly(value: number): bigint {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  const size = exponent === 0 ? fraction : (fraction | (1n << 52n)) << BigInt(exponent - 1);
  return value < 0 ? -size : size;
}

const trueSum = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + exactly(value), 0n);

function fold(values: readonly number[], intervalMs: number): MetricBucket[] {
  const folder = createBucketFolder(intervalMs);
  for (const [n, value] of values.entries()) folder.addSample(n * minute, names, [value]);
  return folder.buckets();
}

const reading = () =>
  fc.oneof(
    fc.integer({ min: -999_999, max: 999_999 }).map((value) => value / 1_000),
    fc.double({ min: -1e4, max: 1e4, noNaN: true }).filter((value) => Math.abs(value) > 1e-3),
    fc.constantFrom(0, 0.1, -0.1),
  );

it("adds up without loss, whether from samples or from buckets of shorter intervals", () => {
  const interval = fc.constantFrom(2 * minute, 7 * minute, 60 * minute);
  fc.assert(
    fc.property(fc.array(reading(), { minLength: 1, maxLength: 200 }), interval, (values, part) => {
      const [whole] = fold(values, 1_000 * minute);
      const merged = createBucketFolder(1_000 * minute);
      for (const bucket of fold(values, part)) merged.addBucket(bucket);
      expect(merged.buckets()).toEqual([whole]);
      const { sum = 0, rest = 0, min, max, count, first, last } = whole ?? {};
      expect(exactly(sum) + exactly(rest)).toBe(trueSum(values));
      expect(sum, "nearest to the true sum").toBe(sum + rest);
      expect({ min, max, count, first, last }).toEqual({
        min: Math.min(...values) + 0,
        max: Math.max(...values) + 0,
        count: values.length,
        first: values[0],
        last: values.at(-1),
      });
    }),
  );
});

it("stays infinite when a sum is beyond the largest double", () => {
  const [bucket] = fold([1.7e308, 1.7e308, -1.7e308], 10 * minute);
  expect(bucket).toMatchObject({ sum: Number.POSITIVE_INFINITY, rest: 0, count: 3 });
});
