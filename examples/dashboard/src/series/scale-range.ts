type Limit = number | null | undefined;

/** Padding above and below the values, as a share of their distance. */
const padding = 0.1;

/**
 * Returns the ends of an axis. It ends exactly at the expected ones unless values lie outside, and has room for two
 * labels even if all values are equal. Null if there is nothing to show.
 */
export function scaleRange(
  low: Limit,
  high: Limit,
  expected: { readonly min?: number | undefined; readonly max?: number | undefined },
): [number, number] | [null, null] {
  const least = low ?? expected.min ?? expected.max;
  const most = high ?? expected.max ?? expected.min;
  if (least === undefined || most === undefined) return [null, null];
  const distance = most - least;
  const room = distance > 0 ? distance * padding : Math.max(Math.abs(most) * padding, 1e-9);
  const isIn = (limit: number | undefined, inside: (limit: number) => boolean) =>
    limit !== undefined && inside(limit) ? limit : undefined;
  // A padding must not cross zero: a voltage is not expected to be negative.
  const from = least >= 0 ? Math.max(0, least - room) : least - room;
  const to = most <= 0 ? Math.min(0, most + room) : most + room;
  const begin = isIn(expected.min, (min) => min <= least) ?? from;
  const end = isIn(expected.max, (max) => max >= most) ?? to;
  return begin < end ? [begin, end] : [begin, begin + 1];
}
