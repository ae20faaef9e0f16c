export const signatureAlgorithms = ["ecdsa-p256-sha256", "ed25519"] as const;
export type SignatureAlgorithm = (typeof signatureAlgorithms)[number];

/** A public key that the device was built with. */
export interface PinnedKey {
  readonly id: string;
  readonly algorithm: SignatureAlgorithm;
  /** SPKI, as `-----BEGIN PUBLIC KEY-----`. */
  readonly pem: string;
}

export interface TrustedKey {
  readonly algorithm: SignatureAlgorithm;
  readonly key: CryptoKey;
}

/** Pinned keys by their id. What is not among them is trusted with nothing. */
export type TrustedKeys = ReadonlyMap<string, TrustedKey>;

const importParameters = {
  "ecdsa-p256-sha256": { name: "ECDSA", namedCurve: "P-256" },
  ed25519: { name: "Ed25519" },
} as const satisfies Record<SignatureAlgorithm, object>;

function readPem(pem: string): Uint8Array<ArrayBuffer> {
  const body = /^-----BEGIN PUBLIC KEY-----([\sA-Za-z0-9+/=]+)-----END PUBLIC KEY-----\s*$/.exec(
    pem,
  )?.[1];
  if (body === undefined) throw new TypeError("It is no PEM of a public key.");
  return Uint8Array.from(atob(body.replaceAll(/\s/g, "")), (char) => char.charCodeAt(0));
}

/**
 * Imports the keys that releases are verified with.
 * @throws {TypeError} when one can't be read, is not of its algorithm, or an id stands twice.
 */
export async function importTrustedKeys(keys: readonly PinnedKey[]): Promise<TrustedKeys> {
  const trusted = new Map<string, TrustedKey>();
  for (const { id, algorithm, pem } of keys) {
    if (trusted.has(id)) throw new TypeError(`Two keys are pinned as "${id}". Name each once.`);
    try {
      const key = await crypto.subtle.importKey(
        "spki",
        readPem(pem),
        importParameters[algorithm],
        false,
        ["verify"],
      );
      trusted.set(id, { algorithm, key });
    } catch (cause) {
      throw new TypeError(`The key "${id}" can't be read as ${algorithm}. Pin its SPKI PEM.`, {
        cause,
      });
    }
  }
  return trusted;
}
