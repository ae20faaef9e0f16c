import { exactSum, toNearestDouble } from "@device-gateway/testing";
import fc from "fast-check";
import { expect, it } from "vitest";
import { createBucketAggregator, type MetricBucket, mostMetrics } from "./bucket.js";

const minute = 60_000;
const names = ["a"];

function fold(values: readonly number[], intervalMs: number): MetricBucket[] {
  const folder = createBucketAggregator(intervalMs);
  for (const [n, value] of values.entries()) folder.addSample(n * minute, names, [value]);
  return folder.buckets();
}

const reading = () =>
  fc.oneof(
    fc.integer({ min: -999_999, max: 999_999 }).map((value) => value / 1_000),
    fc.double({ min: -1e4, max: 1e4, noNaN: true }).filter((value) => Math.abs(value) > 1e-3),
    fc.constantFrom(0, 0.1, -0.1),
  );

it("sums without loss, from samples or from buckets of shorter intervals", () => {
  const interval = fc.constantFrom(2 * minute, 7 * minute, 60 * minute);
  fc.assert(
    fc.property(fc.array(reading(), { minLength: 1, maxLength: 200 }), interval, (values, part) => {
      const [whole] = fold(values, 1_000 * minute);
      const merged = createBucketAggregator(1_000 * minute);
      for (const bucket of fold(values, part)) merged.addBucket(bucket);
      expect(merged.buckets()).toEqual([whole]);
      const { sum = 0, rest = 0, min, max, count, first, last } = whole ?? {};
      expect(exactSum([sum, rest])).toBe(exactSum(values));
      expect(sum).toBe(toNearestDouble(exactSum(values)));
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

it("keeps only the first metrics of a bucket if there are too many names", () => {
  const all = Array.from({ length: mostMetrics + 5 }, (_, n) => `m${n}`);
  const folder = createBucketAggregator(minute);
  for (const at of [0, 1, minute])
    folder.addSample(
      at,
      all,
      Array.from(all, () => 1),
    );
  const again = createBucketAggregator(minute);
  for (const bucket of folder.buckets()) again.addBucket(bucket);
  again.addBucket({ ...(folder.buckets()[0] as MetricBucket), name: "another" });
  for (const buckets of [folder.buckets(), again.buckets()]) {
    expect(buckets).toHaveLength(2 * mostMetrics);
    expect(buckets[mostMetrics - 1]).toMatchObject({ name: `m${mostMetrics - 1}`, count: 2 });
  }
});
