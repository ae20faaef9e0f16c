import { createHash, generateKeyPairSync, sign } from "node:crypto";
import type { FirmwareOptions } from "@device-gateway/core";
import { type ReleaseRequest, signedLines } from "@device-gateway/core/contract";
import { createMemoryArtifactStore } from "@device-gateway/store-memory";

const keys = generateKeyPairSync("ed25519");

/** Shared by all worlds of this process, because images never change. */
export const firmware: FirmwareOptions = {
  keys: [
    { id: "key-1", publicKey: keys.publicKey.export({ type: "spki", format: "pem" }).toString() },
  ],
  artifacts: createMemoryArtifactStore(),
};

/** Returns the request body that creates a signed release of the image. */
export function describeRelease(version: string, targetHardware: string, image: string) {
  const signed = {
    version,
    targetHardware,
    releasedAt: "2026-01-31T12:00:00Z",
    sha256: createHash("sha256").update(image).digest("hex"),
  };
  return {
    ...signed,
    size: Buffer.byteLength(image),
    signature: sign(null, signedLines(signed), keys.privateKey).toString("base64"),
    signingKeyId: "key-1",
    signatureAlgorithm: "ed25519",
  } satisfies Partial<ReleaseRequest>;
}
