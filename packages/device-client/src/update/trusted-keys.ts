import { importVerifyingKey, type VerifyingKey } from "@device-gateway/core/contract";

/** A public key that the device was built with. Its kind decides the algorithm, no offer does. */
export interface PinnedKey {
  readonly id: string;
  /** Of P-256 or Ed25519: SPKI, as `-----BEGIN PUBLIC KEY-----`. */
  readonly pem: string;
}

/** Pinned keys by their id. What is not among them is trusted with nothing. */
export type TrustedKeys = ReadonlyMap<string, VerifyingKey>;

/**
 * Imports the keys that releases are verified with.
 * @throws {TypeError} without a key, when one can't be read, or an id stands twice.
 */
export async function importTrustedKeys(keys: readonly PinnedKey[]): Promise<TrustedKeys> {
  if (keys.length === 0) throw new TypeError("keys: pin at least one public key.");
  const trusted = new Map<string, VerifyingKey>();
  for (const { id, pem } of keys) {
    const key = await importVerifyingKey(pem);
    if (key === null) {
      throw new TypeError(`keys: "${id}" is no public key of P-256 or Ed25519. Pin its PEM.`);
    }
    if (trusted.has(id)) throw new TypeError(`keys: "${id}" stands twice. Name each key once.`);
    trusted.set(id, key);
  }
  return trusted;
}
