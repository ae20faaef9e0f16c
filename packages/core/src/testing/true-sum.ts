/** A double as a whole number of 2^-1074, the smallest that there is. */
function toUnits(value: number): bigint {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  const size = exponent === 0 ? fraction : (fraction | (1n << 52n)) << BigInt(exponent - 1);
  return value < 0 ? -size : size;
}

/** The sum of doubles without any rounding, in units of 2^-1074. */
export const trueSum = (values: readonly number[]): bigint =>
  values.reduce((sum, value) => sum + toUnits(value), 0n);

/** The double nearest to a sum, of two equally near the even one. */
export function nearestDouble(sum: bigint): number {
  const size = sum < 0n ? -sum : sum;
  const extra = size.toString(2).length - 53;
  if (extra <= 0) return Number(sum) * Number.MIN_VALUE;
  const shift = BigInt(extra);
  const half = 1n << (shift - 1n);
  let kept = size >> shift;
  const lost = size - (kept << shift);
  if (lost > half || (lost === half && (kept & 1n) === 1n)) kept += 1n;
  const nearest = Number(kept) * 2 ** (extra - 1_074);
  return sum < 0n ? -nearest : nearest;
}
