/** Bytes of each of the two numbers of a P-256 signature. */
const width = 32;

/**
 * Reads an ASN.1 DER `SEQUENCE { INTEGER r, INTEGER s }` of P-256 into the 64 bytes `r || s`.
 * Strict (X.690 §8.3, §10.1): null when there is any other way to write the same, a negative
 * number, one of more than 32 bytes, or anything behind it.
 */
export function readDerSignature(der: Uint8Array): Uint8Array<ArrayBuffer> | null {
  const raw = new Uint8Array(2 * width);
  // Two numbers of 33 bytes make 70: a length is always one byte.
  if (der[0] !== 0x30 || der[1] !== der.length - 2 || der.length > 72) return null;
  let at = 2;
  for (const place of [0, width]) {
    const length = der[at + 1] ?? 0;
    const [first = 0, second = 0] = der.subarray(at + 2, at + 4);
    if (der[at] !== 0x02 || length < 1 || at + 2 + length > der.length) return null;
    if (first >= 0x80) return null;
    if (length > 1 && first === 0 && second < 0x80) return null;
    const digits = der.subarray(at + 2 + (first === 0 ? 1 : 0), at + 2 + length);
    if (digits.length > width) return null;
    raw.set(digits, place + width - digits.length);
    at += 2 + length;
  }
  return at === der.length ? raw : null;
}
