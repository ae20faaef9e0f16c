const coordinateBytes = 32;
const sequence = 0x30;
const integer = 0x02;

/** Reads a positive INTEGER at `at`. Returns null if it is not in DER form. */
function readInteger(der: Uint8Array, at: number): { digits: Uint8Array; end: number } | null {
  const length = der[at + 1] ?? 0;
  const end = at + 2 + length;
  if (der[at] !== integer || length === 0 || end > der.length) return null;
  const [first = 0, second = 0] = der.subarray(at + 2, end);
  const negative = first >= 0x80;
  const padded = first === 0;
  // DER allows a leading zero byte only before a byte that would make the number negative.
  if (negative || (padded && second < 0x80)) return null;
  const digits = der.subarray(at + 2 + (padded ? 1 : 0), end);
  return digits.length > coordinateBytes ? null : { digits, end };
}

/**
 * Converts an ECDSA signature over P-256 from ASN.1 DER (RFC 3279, section 2.2.3) to the form that WebCrypto takes: r
 * and s of 32 bytes each. Returns null for any other encoding, BER included. Does not check that r and s are below
 * the order of the curve, because verification does.
 */
export function fromEcdsaDer(der: Uint8Array): Uint8Array<ArrayBuffer> | null {
  if (der[0] !== sequence || der[1] !== der.length - 2) return null;
  const r = readInteger(der, 2);
  const s = r && readInteger(der, r.end);
  if (r === null || s === null || s.end !== der.length) return null;
  const raw = new Uint8Array(2 * coordinateBytes);
  raw.set(r.digits, coordinateBytes - r.digits.length);
  raw.set(s.digits, 2 * coordinateBytes - s.digits.length);
  return raw;
}
