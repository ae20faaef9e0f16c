import { expect, test } from "vitest";
import { createBucketAggregator } from "../telemetry/bucket.js";
import { fromHourText, toHourText } from "./hour-text.js";

test.each([[1e308, 1e308], [-1e308, -1e308], [0.1, 0.2], [7]])(
  "a roll-up of the values %s and %s is read as it was written",
  (...values) => {
    const aggregator = createBucketAggregator(3_600_000);
    for (const [n, value] of values.entries()) aggregator.addSample(n, ["metric"], [value]);
    const buckets = aggregator.buckets();
    expect(fromHourText(toHourText(buckets), 0)).toEqual(buckets);
  },
);
