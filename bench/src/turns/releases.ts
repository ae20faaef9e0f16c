import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { signedLines } from "@device-gateway/core/contract";
import { createFileArtifactStore } from "@device-gateway/core/node";

const keys = generateKeyPairSync("ed25519");
let releases = 0;

export const firmwareIn = async (folder: string) => ({
  keys: [
    { id: "key-1", publicKey: keys.publicKey.export({ type: "spki", format: "pem" }).toString() },
  ],
  artifacts: await createFileArtifactStore({ folder }),
});

/** Returns the body of a request that creates a release of an image. Each has another version. */
export function describeImage(image: string) {
  const signed = {
    version: `2.0.${++releases}`,
    targetHardware: "esp32",
    releasedAt: "2026-01-31T12:00:00Z",
    sha256: createHash("sha256").update(image).digest("hex"),
  };
  return {
    ...signed,
    size: Buffer.byteLength(image),
    signature: sign(null, signedLines(signed), keys.privateKey).toString("base64"),
    signingKeyId: "key-1",
    signatureAlgorithm: "ed25519",
  };
}
