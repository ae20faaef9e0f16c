import { p256 } from "@noble/curves/nist.js";

const order = p256.Point.Fn.ORDER;

export interface Numbers {
  readonly r: bigint;
  readonly s: bigint;
}

export function readNumbers(der: Uint8Array): Numbers {
  const { r, s } = p256.Signature.fromBytes(der, "der");
  return { r, s };
}

/** Returns the other valid signature of the same text: both `s` and `order - s` are valid. */
export const otherS = ({ r, s }: Numbers): Numbers => ({ r, s: order - s });

export { order };

/** Returns the shortest DER integer: a zero byte in front if the number would read as negative. */
export function integerBytes(value: bigint): number[] {
  const hex = value.toString(16);
  const bytes = [...Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex")];
  return (bytes[0] ?? 0) >= 0x80 ? [0, ...bytes] : bytes;
}

const element = (tag: number, content: readonly number[]) => [tag, content.length, ...content];

/** Returns `SEQUENCE { INTEGER, INTEGER }` of the given bytes, valid or not. */
export const derOf = (r: readonly number[], s: readonly number[]): Uint8Array =>
  Uint8Array.from(element(0x30, [...element(0x02, r), ...element(0x02, s)]));
