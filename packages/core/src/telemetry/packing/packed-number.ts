import type { ByteReader } from "./byte-reader.js";
import type { ByteWriter } from "./byte-writer.js";

/** Readings are mostly short decimals: `3.321` is 3321 / 10^3, and that division is exact. */
const powers = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9] as const;
/** Values in place of the number of decimals, for numbers that are not short decimals. */
const asFloat = 14;
const asDouble = 15;
/** Below this, sixteen times a mantissa with its sign is a whole number below 2^53. */
const mantissaBound = 2 ** 48;

/** Writes a finite number: two or three bytes for a usual reading, at most nine. -0 becomes 0. */
export function writeNumber(writer: ByteWriter, value: number): void {
  for (let decimals = 0; decimals < powers.length; decimals++) {
    const power = powers[decimals] as number;
    const mantissa = Math.round(value * power);
    if (Math.abs(mantissa) >= mantissaBound) break;
    if (mantissa / power === value) {
      const unsigned = mantissa < 0 ? -2 * mantissa - 1 : 2 * mantissa;
      writer.varint(unsigned * 16 + decimals);
      return;
    }
  }
  if (Math.fround(value) === value) {
    writer.byte(asFloat);
    writer.float32(value);
  } else {
    writer.byte(asDouble);
    writer.float64(value);
  }
}

/** Skips a number without decoding it. */
export function skipNumber(reader: ByteReader): void {
  const first = reader.byte();
  if (first === asDouble) reader.skip(8);
  else if (first === asFloat) reader.skip(4);
  else for (let byte = first; byte >= 128; byte = reader.byte());
}

export function readNumber(reader: ByteReader): number {
  const packed = reader.varint();
  const decimals = packed % 16;
  if (decimals === asDouble) return reader.float64();
  if (decimals === asFloat) return reader.float32();
  const unsigned = (packed - decimals) / 16;
  const mantissa = unsigned % 2 === 0 ? unsigned / 2 : -(unsigned + 1) / 2;
  return mantissa / (powers[decimals] as number);
}
