import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { equalBytes, fromBase64Url, toBase64Url, toUtf8 } from "../shared/bytes.js";

/** What a secret is for: hashes of one purpose never match those of another. */
export type SecretPurpose = "device-secret" | "claim-code" | "hardware-fingerprint";

/** Keyed hashes of secrets that are random enough not to need a slow one. */
export interface SecretHash {
  /** HMAC-SHA-256 under the pepper. */
  digest(purpose: SecretPurpose, secret: string): Uint8Array;
  /** The digest in base64url, as it is stored. */
  encode(purpose: SecretPurpose, secret: string): string;
  /** Compares in constant time. Against null it does the same work and says false. */
  matches(purpose: SecretPurpose, secret: string, stored: string | null): boolean;
}

export function createSecretHash(pepper: string): SecretHash {
  const key = fromBase64Url(pepper);
  const digest = (purpose: SecretPurpose, secret: string) =>
    hmac(sha256, key, toUtf8(`${purpose}\0${secret}`));
  const nobody = toBase64Url(digest("device-secret", ""));
  return {
    digest,
    encode: (purpose, secret) => toBase64Url(digest(purpose, secret)),
    matches(purpose, secret, stored) {
      const equal = equalBytes(digest(purpose, secret), fromBase64Url(stored ?? nobody));
      return equal && stored !== null;
    },
  };
}
