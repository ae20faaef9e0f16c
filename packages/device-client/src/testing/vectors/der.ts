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

/** The other signature of the same text: `s` and the order less `s` are both right. */
export const otherS = ({ r, s }: Numbers): Numbers => ({ r, s: order - s });

export { order };

/** The shortest bytes of a number, with a zero in front where it would read as negative. */
export function integerBytes(value: bigint): number[] {
  const hex = value.toString(16);
  const bytes = [...Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex")];
  return (bytes[0] ?? 0) >= 0x80 ? [0, ...bytes] : bytes;
}

const element = (tag: number, content: readonly number[]) => [tag, content.length, ...content];

/** `SEQUENCE { INTEGER, INTEGER }` of bytes as they are given, right or wrong. */
export const derOf = (r: readonly number[], s: readonly number[]): Uint8Array =>
  Uint8Array.from(element(0x30, [...element(0x02, r), ...element(0x02, s)]));
