import type { Reader, Writer } from "./bytes.js";

/** A double is mostly a short decimal: `3.321` is 3321 / 10^3, and that division gives it back. */
export const powers = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9] as const;
/** Stands in an exponent's place for a double that is no short decimal. */
export const asDouble = 15;
/** Below this, sixteen times a mantissa with its sign is still a whole number below 2^53. */
const mantissaBound = 2 ** 48;

/** The fewest decimals that give `value` back exactly; `asDouble` when none do. */
export function decimalsOf(value: number): number {
  for (let digits = 0; digits < powers.length; digits++) {
    const power = powers[digits] as number;
    const mantissa = Math.round(value * power);
    if (Math.abs(mantissa) >= mantissaBound) return asDouble;
    if (mantissa / power === value) return digits;
  }
  return asDouble;
}

export const toZigzag = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value);
export const fromZigzag = (value: number): number =>
  value % 2 === 0 ? value / 2 : -(value + 1) / 2;

/** Two or three bytes for a usual reading, nine at most; every double but -0 comes back exactly. */
export function writeNumber(writer: Writer, value: number): void {
  const digits = decimalsOf(value);
  if (digits === asDouble) {
    writer.byte(asDouble);
    writer.float64(value);
  } else {
    const mantissa = Math.round(value * (powers[digits] as number));
    writer.varint(toZigzag(mantissa) * 16 + digits);
  }
}

export function readNumber(reader: Reader): number {
  const packed = reader.varint();
  const digits = packed % 16;
  if (digits === asDouble) return reader.float64();
  return fromZigzag((packed - digits) / 16) / (powers[digits] as number);
}
