import { readBase64 } from "./base64.js";
import { readDerSignature } from "./der-signature.js";
import { type ReleaseOffer, signedText } from "./release-offer.js";
import type { SignatureAlgorithm, TrustedKeys } from "./trusted-keys.js";

export type SignatureVerdict =
  | "valid"
  | "unknown_key"
  /** The key is pinned for another algorithm than the offer names. */
  | "wrong_algorithm"
  | "invalid_signature";

const verifyParameters = {
  "ecdsa-p256-sha256": { name: "ECDSA", hash: "SHA-256" },
  ed25519: { name: "Ed25519" },
} as const satisfies Record<SignatureAlgorithm, object>;

function readSignature(text: string, algorithm: SignatureAlgorithm) {
  const bytes = readBase64(text);
  if (bytes === null) return null;
  if (algorithm === "ecdsa-p256-sha256") return readDerSignature(bytes);
  return bytes.length === 64 ? bytes : null;
}

/**
 * Verifies an offer's signature over its four lines (contract §6). The algorithm is the pinned
 * key's, never the offer's choice. A high `s` is valid: half of what OpenSSL signs has one.
 */
export async function verifySignature(
  offer: ReleaseOffer,
  keys: TrustedKeys,
): Promise<SignatureVerdict> {
  const trusted = keys.get(offer.signingKeyId);
  if (trusted === undefined) return "unknown_key";
  const { algorithm, key } = trusted;
  if (offer.signatureAlgorithm !== algorithm) return "wrong_algorithm";
  const signature = readSignature(offer.signature, algorithm);
  if (signature === null) return "invalid_signature";
  const text = new TextEncoder().encode(signedText(offer));
  const valid = await crypto.subtle.verify(verifyParameters[algorithm], key, signature, text);
  return valid ? "valid" : "invalid_signature";
}
