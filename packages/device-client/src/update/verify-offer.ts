import { SignatureAlgorithm, verifyRelease } from "@device-gateway/core/contract";
import type { ReleaseOffer } from "./release-offer.js";
import type { TrustedKeys } from "./trusted-keys.js";

export type SignatureVerdict =
  | "valid"
  | "unknown_key"
  /** The offer names another algorithm than that of its pinned key. */
  | "wrong_algorithm"
  | "invalid_signature";

/**
 * Verifies an offer's signature over its four lines with the pinned key that it names (contract
 * §6). `judgeOffer` must have passed: the lines mean one thing only when no field holds a newline.
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
