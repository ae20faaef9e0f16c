import type { MetricBucket } from "../telemetry/bucket.js";
import { unpackBuckets } from "../telemetry/packing/packed-buckets.js";
import { fromTextContent, type RowContent, toTextContent } from "./row-content.js";

/** A roll-up of a metric as JSON. A sum that overflowed is null. `rest` is the rounding error of the sum; old hours lack it. */
type Numbers = [
  min: number,
  max: number,
  sum: number | null,
  count: number,
  first: number,
  last: number,
  rest?: number,
];

/** A metric with one sample is stored as that number alone. */
type HourText = Record<string, number | Numbers>;

const singleSample = (value: number): Numbers => [value, value, value, 1, value, value];

/**
 * Returns the roll-up of an hour as JSON text.
 *
 * @example
 * insertHour.run({ hour, ...toHourText(buckets) });
 */
export function toHourText(buckets: readonly MetricBucket[]): RowContent {
  const metrics = buckets.map(
    ({ name, min, max, sum, rest, count, first, last }) =>
      [name, count === 1 ? first : [min, max, sum, count, first, last, rest]] as const,
  );
  return toTextContent(Object.fromEntries(metrics));
}

/**
 * Parses the roll-up of the hour that begins at `start`.
 *
 * @example
 * const buckets = fromHourText(row, row.hour);
 */
export const fromHourText = (content: RowContent, start: number): MetricBucket[] =>
  Object.entries(fromTextContent(content) as HourText).map(([name, numbers]) => {
    const [min, max, sum, count, first, last, rest = 0] =
      typeof numbers === "number" ? singleSample(numbers) : numbers;
    // JSON has no infinity: a sum that overflowed is null.
    const total = sum ?? (min + max < 0 ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY);
    return { start, name, min, max, sum: total, rest, count, first, last };
  });

/**
 * Returns the wanted buckets of a rolled-up hour, and the number of all its metrics. If `names` is null, the content is
 * JSON text.
 *
 * @example
 * const { buckets, metrics } = readHour(names, row.content, row.hour, (name) => name === "soc");
 */
export function readHour(
  names: readonly string[] | null,
  content: Uint8Array,
  hour: number,
  isWanted: (name: string) => boolean,
): { readonly buckets: readonly MetricBucket[]; readonly metrics: number } {
  if (names !== null) {
    return { buckets: unpackBuckets(names, content, hour, isWanted), metrics: names.length };
  }
  const all = fromHourText({ shape: null, content }, hour);
  return { buckets: all.filter(({ name }) => isWanted(name)), metrics: all.length };
}
