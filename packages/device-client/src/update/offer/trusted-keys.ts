import { importVerifyingKey, type VerifyingKey } from "@device-gateway/core/contract";

/** A public key in the firmware. Its type determines the algorithm; an offer cannot choose it. */
export interface PinnedKey {
  readonly id: string;
  /** P-256 or Ed25519, as SPKI in PEM (`-----BEGIN PUBLIC KEY-----`). */
  readonly pem: string;
}

/** Pinned keys by id. No other key is trusted. */
export type TrustedKeys = ReadonlyMap<string, VerifyingKey>;

/**
 * Imports the keys for the signatures of releases.
 * @throws {TypeError} if there is no key, a key is invalid, or an id occurs twice.
 */
export async function importTrustedKeys(keys: readonly PinnedKey[]): Promise<TrustedKeys> {
  if (keys.length === 0) throw new TypeError("keys: Pin at least one public key.");
  const trusted = new Map<string, VerifyingKey>();
  for (const { id, pem } of keys) {
    const key = await importVerifyingKey(pem);
    if (key === null) {
      throw new TypeError(`keys: "${id}" is not a P-256 or Ed25519 public key. Pass its PEM.`);
    }
    if (trusted.has(id))
      throw new TypeError(`keys: The id "${id}" occurs twice. Give each key its own id.`);
    trusted.set(id, key);
  }
  return trusted;
}
