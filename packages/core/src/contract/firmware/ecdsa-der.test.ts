import { generateKeyPairSync, sign, verify } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { fromEcdsaDer } from "./ecdsa-der.js";

const coordinate = fc
  .uint8Array({ minLength: 1, maxLength: 32 })
  .filter((bytes) => bytes.some(Boolean));

/** Encodes a positive number in DER. */
function toInteger(bytes: Uint8Array): number[] {
  const first = bytes.findIndex((byte) => byte !== 0);
  const digits = [...bytes.subarray(first)];
  const padded = (digits[0] ?? 0) >= 0x80 ? [0, ...digits] : digits;
  return [0x02, padded.length, ...padded];
}
const toDer = (r: Uint8Array, s: Uint8Array) => {
  const content = [...toInteger(r), ...toInteger(s)];
  return Uint8Array.from([0x30, content.length, ...content]);
};
const toRaw = (r: Uint8Array, s: Uint8Array) => {
  const raw = new Uint8Array(64);
  raw.set(r, 32 - r.length);
  raw.set(s, 64 - s.length);
  return raw;
};

test("§6 every DER signature decodes to the numbers that it was made from", () => {
  fc.assert(
    fc.property(coordinate, coordinate, (r, s) => {
      expect(fromEcdsaDer(toDer(r, s))).toEqual(toRaw(r, s));
    }),
  );
});

/** Expects that the bytes are rejected, or are the DER form of the numbers that they decode to. */
function expectOneForm(der: Uint8Array): void {
  const raw = fromEcdsaDer(der);
  if (raw !== null) expect(toDer(raw.subarray(0, 32), raw.subarray(32))).toEqual(der);
}

test("§6 a changed length that still fits decodes to other numbers, never to the same ones", () => {
  const der = toDer(Uint8Array.of(1, 0, 2), Uint8Array.of(1));
  const shifted = Uint8Array.from(der).fill(2, 3, 4);
  expect(fromEcdsaDer(shifted)).toEqual(toRaw(Uint8Array.of(1, 0), Uint8Array.of(1, 1)));
  expectOneForm(shifted);
});

test("§6 a signature with a changed, missing or added byte in its frame never decodes to the same numbers", () => {
  fc.assert(
    fc.property(
      coordinate,
      coordinate,
      fc.nat(),
      fc.uint8Array({ maxLength: 3 }),
      (r, s, cut, more) => {
        const der = toDer(r, s);
        expect(fromEcdsaDer(der.subarray(0, cut % der.length))).toBeNull();
        if (more.length > 0) expect(fromEcdsaDer(Uint8Array.from([...der, ...more]))).toBeNull();
        const frame = [0, 1, 2, 3, 4 + (der[3] ?? 0), 5 + (der[3] ?? 0)];
        for (const place of frame) {
          for (const flip of [0x01, 0x80]) {
            const other = der.slice();
            other[place] = (other[place] ?? 0) ^ flip;
            expectOneForm(other);
            expect(fromEcdsaDer(other)).not.toEqual(toRaw(r, s));
          }
        }
      },
    ),
  );
});

test.each([
  ["a number with a needless leading zero", [0x02, 2, 0, 1]],
  ["zero", [0x02, 1, 0]],
  ["a negative number", [0x02, 1, 0x80]],
  ["an empty number", [0x02, 0]],
  ["a number of 33 bytes", [0x02, 33, 1, ...Array<number>(32).fill(7)]],
])("§6 a signature with %s is rejected", (_, integer) => {
  const one = [0x02, 1, 1];
  for (const content of [
    [...integer, ...one],
    [...one, ...integer],
  ]) {
    expect(fromEcdsaDer(Uint8Array.from([0x30, content.length, ...content]))).toBeNull();
  }
});

test("§6 a signature in a BER form that is not DER is rejected", () => {
  const long = Uint8Array.from([0x30, 0x81, 6, 2, 1, 1, 2, 1, 1]);
  const indefinite = Uint8Array.from([0x30, 0x80, 2, 1, 1, 2, 1, 1, 0, 0]);
  expect([fromEcdsaDer(long), fromEcdsaDer(indefinite)]).toEqual([null, null]);
});

test("§6 a DER signature that Node creates verifies in its raw form", () => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  for (let n = 0; n < 300; n++) {
    const text = Buffer.from(`release ${n}`);
    const raw = fromEcdsaDer(sign("sha256", text, privateKey));
    const key = { key: publicKey, dsaEncoding: "ieee-p1363" } as const;
    expect(raw && verify("sha256", text, key, raw)).toBe(true);
  }
});
