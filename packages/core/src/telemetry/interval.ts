const units = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 } as const;

/** The intervals that `auto` chooses from, in milliseconds. Those up to a day divide a day evenly. */
const steps = [
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * units.s),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * units.m),
  ...[1, 2, 3, 6, 12].map((hours) => hours * units.h),
  ...[1, 2, 7, 14].map((days) => days * units.d),
  // From four weeks, doubled up to 78 years.
  ...Array.from({ length: 11 }, (_, power) => 28 * 2 ** power * units.d),
];

/** Parses an interval such as `5m`. Returns milliseconds, or undefined if the text is not an interval. */
export function parseInterval(text: string): number | undefined {
  const [, count, unit] = /^([1-9]\d{0,6})([smhd])$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * units[unit as keyof typeof units];
}

/** Formats an interval of whole seconds in its largest unit, such as `5m`. */
export function formatInterval(intervalMs: number): string {
  for (const [unit, ms] of Object.entries(units)) {
    if (intervalMs % ms === 0) return `${intervalMs / ms}${unit}`;
  }
  throw new RangeError(`${intervalMs} ms is not a whole number of seconds.`);
}

/**
 * Returns the start of the bucket that contains a time. Buckets are aligned to 1970-01-01T00:00:00Z.
 *
 * @example
 * bucketStart(3_700_000, 3_600_000); // 3600000
 */
export const bucketStart = (at: number, intervalMs: number): number =>
  Math.floor(at / intervalMs) * intervalMs;

/** Returns how many buckets overlap a range. The end of the range is exclusive. */
export function countBuckets(from: number, to: number, intervalMs: number): number {
  if (to <= from) return 0;
  return (bucketStart(to - 1, intervalMs) - bucketStart(from, intervalMs)) / intervalMs + 1;
}

/** Returns the shortest interval with which a range has at most `limit` buckets. */
export function chooseInterval(from: number, to: number, limit: number): number {
  const fits = (step: number) => countBuckets(from, to, step) <= limit;
  // With a limit of 1, a range across the edge of the longest interval fits none.
  return steps.find(fits) ?? (steps.at(-1) as number);
}
