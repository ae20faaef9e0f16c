import fc from "fast-check";
import { expect, it } from "vitest";
import { createBucketAggregator, type MetricBucket } from "../bucket.js";
import { packBuckets, unpackBuckets } from "./packed-buckets.js";

const reading = () =>
  fc.oneof(
    fc.integer({ min: -9_999, max: 9_999 }).map((value) => value / 100),
    fc.constantFrom(0, 1, 1e300, -3.321),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  );

it("returns the packed buckets of an hour unchanged", () => {
  const hour = fc.dictionary(fc.string(), fc.array(reading(), { minLength: 1 }));
  fc.assert(
    fc.property(hour, (metrics) => {
      const folder = createBucketAggregator(3_600_000);
      for (const [name, values] of Object.entries(metrics)) {
        for (const value of values) folder.addSample(7_200_000, [name], [value]);
      }
      const buckets: MetricBucket[] = folder.buckets();
      const { skeleton, packed } = packBuckets(buckets);
      const names = JSON.parse(skeleton) as string[];
      expect(unpackBuckets(names, packed, 7_200_000, () => true)).toEqual(buckets);
      for (const some of names) {
        expect(unpackBuckets(names, packed, 7_200_000, (name) => name === some)).toEqual(
          buckets.filter(({ name }) => name === some),
        );
      }
    }),
    { numRuns: 500 },
  );
});

it("rejects bytes that end too early", () => {
  const folder = createBucketAggregator(3_600_000);
  for (const value of [3.3, 3.4]) folder.addSample(0, ["voltage"], [value]);
  const { packed } = packBuckets(folder.buckets());
  expect(() => unpackBuckets(["voltage"], packed.subarray(0, -1), 0, () => true)).toThrow(
    RangeError,
  );
});
