import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { type SignatureAlgorithm, signedLines } from "@device-gateway/core/contract";
import type { ReleaseOffer } from "../update/offer/release-offer.js";
import type { PinnedKey } from "../update/offer/trusted-keys.js";

export interface SigningKey {
  readonly id: string;
  readonly algorithm: SignatureAlgorithm;
  readonly privateKey: KeyObject;
  readonly pinned: PinnedKey;
}

export function createSigningKey(
  id: string,
  algorithm: SignatureAlgorithm = "ecdsa-p256-sha256",
): SigningKey {
  const { privateKey, publicKey } =
    algorithm === "ed25519"
      ? generateKeyPairSync("ed25519")
      : generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pem = publicKey.export({ type: "spki", format: "pem" }).toString();
  return { id, algorithm, privateKey, pinned: { id, pem } };
}

export const sha256Of = (bytes: Uint8Array): string =>
  createHash("sha256").update(bytes).digest("hex");

const signBytes = ({ algorithm, privateKey }: SigningKey, bytes: Uint8Array): string =>
  sign(algorithm === "ed25519" ? null : "sha256", bytes, privateKey).toString("base64");

/** Creates an offer for an image and signs it. */
export function signOffer(
  key: SigningKey,
  image: Uint8Array,
  facts: Pick<ReleaseOffer, "version" | "targetHardware" | "downloadUrl"> & {
    readonly releasedAt?: string;
  },
): ReleaseOffer {
  const signed = { releasedAt: "2026-01-31T12:00:00Z", ...facts, sha256: sha256Of(image) };
  return {
    ...signed,
    size: image.length,
    signature: signBytes(key, signedLines(signed)),
    signingKeyId: key.id,
    signatureAlgorithm: key.algorithm,
  };
}
