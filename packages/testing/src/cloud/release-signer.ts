import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { type ReleaseRequest, signedLines } from "@device-gateway/core/contract";
import type { z } from "zod";

/** The public key of a release signer. Devices pin it, and the gateway verifies with it. */
export interface ReleaseKey {
  readonly id: string;
  readonly pem: string;
}

export interface ReleaseOptions {
  readonly version: string;
  readonly targetHardware: string;
  readonly image: Uint8Array;
  /** Default: 100. */
  readonly rolloutPercent?: number;
  /** Default: `stable`. */
  readonly rolloutChannel?: string;
}

/** Signs releases with a private key that the gateway never sees. */
export interface ReleaseSigner {
  readonly key: ReleaseKey;
  sign(plan: ReleaseOptions, releasedAt: string): z.input<typeof ReleaseRequest>;
}

/**
 * Creates a signer with a new key (ECDSA P-256, as field firmware expects).
 *
 * @example
 * const signer = createReleaseSigner("main");
 */
export function createReleaseSigner(id = "test-key"): ReleaseSigner {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return {
    key: { id, pem: publicKey.export({ type: "spki", format: "pem" }).toString() },
    sign({ image, ...plan }, releasedAt) {
      const sha256 = createHash("sha256").update(image).digest("hex");
      const { version, targetHardware } = plan;
      const lines = signedLines({ version, targetHardware, releasedAt, sha256 });
      const signature = sign("sha256", lines, privateKey).toString("base64");
      return { ...plan, releasedAt, sha256, size: image.length, signature, signingKeyId: id };
    },
  };
}
