import { type Hmac, portableHmac } from "../ports/hmac.js";
import { equalBytes, fromBase64Url, toBase64Url, toUtf8 } from "../shared/bytes.js";

/** What a secret is for. A hash for one purpose never matches a hash for another. */
export type SecretPurpose =
  | "device-secret"
  | "claim-code"
  | "device-claim-code"
  | "hardware-fingerprint"
  | "key-check";

/** Keyed hashes of secrets. They are fast, so a secret must be random, or the hash is the input of a slow one. */
export interface SecretHash {
  /** Returns the HMAC-SHA-256 of a secret, keyed with the pepper. */
  digest(purpose: SecretPurpose, secret: string): Uint8Array;
  /** Returns the digest in base64url, the form that is stored. */
  encode(purpose: SecretPurpose, secret: string): string;
  /** Compares in constant time. If `stored` is null, it does the same work and returns false. */
  matches(purpose: SecretPurpose, secret: string, stored: string | null): boolean;
  /** Compares with several stored hashes, but computes the secret's hash only once. Otherwise like `matches`. */
  matchesEach<Stored extends readonly (string | null)[]>(
    purpose: SecretPurpose,
    secret: string,
    stored: Stored,
  ): { readonly [Place in keyof Stored]: boolean };
}

export function createSecretHash(pepper: string, hmac: Hmac = portableHmac): SecretHash {
  const key = fromBase64Url(pepper);
  const digest = (purpose: SecretPurpose, secret: string) =>
    hmac(key, toUtf8(`${purpose}\0${secret}`));
  const placeholder = toBase64Url(digest("device-secret", ""));
  const isEqual = (computed: Uint8Array, stored: string | null) => {
    const equal = equalBytes(computed, fromBase64Url(stored ?? placeholder));
    return equal && stored !== null;
  };
  return {
    digest,
    encode: (purpose, secret) => toBase64Url(digest(purpose, secret)),
    matches: (purpose, secret, stored) => isEqual(digest(purpose, secret), stored),
    matchesEach(purpose, secret, stored) {
      const computed = digest(purpose, secret);
      return stored.map((one) => isEqual(computed, one)) as {
        [Place in keyof typeof stored]: boolean;
      };
    },
  };
}
