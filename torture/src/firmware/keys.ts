import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { type ReleaseRequest, signedLines } from "@device-gateway/core/contract";
import { importTrustedKeys } from "../../../packages/device-client/src/update/offer/trusted-keys.js";

interface Key {
  readonly id: string;
  readonly algorithm: "ecdsa-p256-sha256" | "ed25519";
  readonly privateKey: KeyObject;
  readonly pem: string;
}

function makeKey(id: string, algorithm: Key["algorithm"]): Key {
  const { privateKey, publicKey } =
    algorithm === "ed25519"
      ? generateKeyPairSync("ed25519")
      : generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pem = publicKey.export({ type: "spki", format: "pem" }).toString();
  return { id, algorithm, privateKey, pem };
}

/** The keys that server and device trust, one for each algorithm. */
export const trusted = [makeKey("main", "ecdsa-p256-sha256"), makeKey("spare", "ed25519")] as const;
/** The attacker's keys. */
export const strangers = [
  makeKey("main", "ecdsa-p256-sha256"),
  makeKey("spare", "ed25519"),
  makeKey("stranger", "ecdsa-p256-sha256"),
] as const;

export const pinned = await importTrustedKeys(trusted.map(({ id, pem }) => ({ id, pem })));

export type SignedRelease = Pick<
  ReleaseRequest,
  | "version"
  | "targetHardware"
  | "releasedAt"
  | "sha256"
  | "size"
  | "signature"
  | "signingKeyId"
  | "signatureAlgorithm"
>;

/** The fields of a release that its signature covers, and the signature itself. */
export const signedParts = [
  "version",
  "targetHardware",
  "releasedAt",
  "sha256",
  "signature",
  "signingKeyId",
  "signatureAlgorithm",
] as const satisfies readonly (keyof SignedRelease)[];

export function signRelease(
  { id, algorithm, privateKey }: Key,
  image: Uint8Array,
  facts: Pick<SignedRelease, "version" | "targetHardware" | "releasedAt">,
): SignedRelease {
  const signed = { ...facts, sha256: createHash("sha256").update(image).digest("hex") };
  const digest = algorithm === "ed25519" ? null : "sha256";
  return {
    ...signed,
    size: image.length,
    signature: sign(digest, signedLines(signed), privateKey).toString("base64"),
    signingKeyId: id,
    signatureAlgorithm: algorithm,
  };
}
