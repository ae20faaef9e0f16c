import { fromEcdsaDer } from "./ecdsa-der.js";
import type { SignatureAlgorithm } from "./release.js";
import { type SignedFacts, signedLines } from "./signed-lines.js";

/** A public key that verifies releases, and its algorithm. */
export interface VerifyingKey {
  readonly algorithm: SignatureAlgorithm;
  readonly key: CryptoKey;
}

const parameters = {
  "ecdsa-p256-sha256": { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  ed25519: { name: "Ed25519" },
} as const satisfies Record<SignatureAlgorithm, Algorithm | (EcKeyImportParams & EcdsaParams)>;

function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

/** Decodes a PEM file with one public key (RFC 7468, section 13). Returns null if it is something else. */
function fromPem(pem: string): Uint8Array<ArrayBuffer> | null {
  const begin = "-----BEGIN PUBLIC KEY-----";
  const end = "-----END PUBLIC KEY-----";
  const text = pem.trim();
  if (!text.startsWith(begin) || !text.endsWith(end)) return null;
  return fromBase64(text.slice(begin.length, -end.length));
}

/**
 * Reads a P-256 or Ed25519 public key (PEM, SubjectPublicKeyInfo). Returns null if the text is not such a key.
 * @throws {Error} of the runtime if it has no WebCrypto.
 *
 * @example
 * const key = await importVerifyingKey(await readFile("release-2026.public.pem", "utf8"));
 */
export async function importVerifyingKey(pem: string): Promise<VerifyingKey | null> {
  const spki = fromPem(pem);
  if (spki === null) return null;
  const { subtle } = globalThis.crypto;
  for (const algorithm of ["ecdsa-p256-sha256", "ed25519"] as const) {
    try {
      const key = await subtle.importKey("spki", spki, parameters[algorithm], true, ["verify"]);
      return { algorithm, key };
    } catch {
      // The key is not of this algorithm.
    }
  }
  return null;
}

/** A release's signature in base64: ASN.1 DER for ECDSA, 64 bytes for Ed25519. */
export interface Signature {
  readonly signature: string;
  readonly signatureAlgorithm: SignatureAlgorithm;
}

/**
 * Returns whether the key signed the release's four lines (§6). Returns false if the signature's algorithm differs
 * from the key's.
 *
 * @example
 * const key = await importVerifyingKey(pem);
 * const isGenuine = key !== null && (await verifyRelease(key, offer)); // an offer of GET /ota/latest
 */
export async function verifyRelease(
  { algorithm, key }: VerifyingKey,
  release: SignedFacts & Signature,
): Promise<boolean> {
  if (release.signatureAlgorithm !== algorithm) return false;
  const bytes = fromBase64(release.signature);
  const raw = bytes && algorithm === "ecdsa-p256-sha256" ? fromEcdsaDer(bytes) : bytes;
  if (raw === null) return false;
  return globalThis.crypto.subtle.verify(parameters[algorithm], key, raw, signedLines(release));
}
