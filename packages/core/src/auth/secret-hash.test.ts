import { createHmac } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createSecretHash } from "./secret-hash.js";

const pepper = "cGVwcGVy".repeat(6);
const { encode, matches } = createSecretHash(pepper);

test("§1 a secret is stored as an HMAC-SHA-256 keyed with the pepper", () => {
  const expected = createHmac("sha256", Buffer.from(pepper, "base64url"))
    .update("device-secret\0s3cret")
    .digest("base64url");
  expect(encode("device-secret", "s3cret")).toBe(expected);
});

test("a hash matches only its own secret and purpose", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (a, b) => {
      expect(matches("device-secret", a, encode("device-secret", b))).toBe(a === b);
      expect(matches("hardware-fingerprint", a, encode("device-secret", a))).toBe(false);
      expect(matches("device-secret", a, null)).toBe(false);
    }),
  );
});

test("an unknown device has no valid secret, not even an empty one", () => {
  expect(matches("device-secret", "", null)).toBe(false);
});
