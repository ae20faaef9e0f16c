import { fromEcdsaDer } from "./ecdsa-der.js";
import type { SignatureAlgorithm } from "./release.js";
import { type SignedFacts, signedLines } from "./signed-lines.js";

/** A public key that releases are verified with, and the one algorithm that it is for. */
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

/** The content of a PEM file that holds one public key (RFC 7468, section 13), or null. */
function fromPem(pem: string): Uint8Array<ArrayBuffer> | null {
  const begin = "-----BEGIN PUBLIC KEY-----";
  const end = "-----END PUBLIC KEY-----";
  const text = pem.trim();
  if (!text.startsWith(begin) || !text.endsWith(end)) return null;
  return fromBase64(text.slice(begin.length, -end.length));
}

/**
 * Reads a public key of P-256 or Ed25519 (PEM, SubjectPublicKeyInfo); null when it is none.
 * @throws {Error} of the runtime when it has no WebCrypto.
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
      // It is none of this algorithm.
    }
  }
  return null;
}

/** A release's signature: base64 of ASN.1 DER for ECDSA, of 64 bytes for Ed25519. */
export interface Signature {
  readonly signature: string;
  readonly signatureAlgorithm: SignatureAlgorithm;
}

/**
 * Whether a release's four lines were signed with a key (contract §6). A signature of another
 * algorithm than the key's is not.
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
