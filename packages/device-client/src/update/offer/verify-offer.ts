import { SignatureAlgorithm, verifyRelease } from "@device-gateway/core/contract";
import type { ReleaseOffer } from "./release-offer.js";
import type { TrustedKeys } from "./trusted-keys.js";

export type SignatureVerdict =
  | "valid"
  | "unknown_key"
  /** The algorithm of the offer is not that of the pinned key. */
  | "wrong_algorithm"
  | "invalid_signature";

/**
 * Verifies the signature over an offer's four lines with the pinned key that the offer names (§6).
 * The caller must call `judgeOffer` first: the lines are ambiguous if a field contains a newline.
 */
export async function verifyOffer(
  offer: ReleaseOffer,
  keys: TrustedKeys,
): Promise<SignatureVerdict> {
  const key = keys.get(offer.signingKeyId);
  if (key === undefined) return "unknown_key";
  const algorithm = SignatureAlgorithm.safeParse(offer.signatureAlgorithm);
  if (algorithm.data !== key.algorithm) return "wrong_algorithm";
  const release = { ...offer, signatureAlgorithm: algorithm.data };
  return (await verifyRelease(key, release)) ? "valid" : "invalid_signature";
}
