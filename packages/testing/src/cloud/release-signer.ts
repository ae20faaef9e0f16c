import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { type ReleaseRequest, signedLines } from "@device-gateway/core/contract";
import type { z } from "zod";

/** The public half of a signing key: what a device pins and a server verifies with. */
export interface ReleaseKey {
  readonly id: string;
  readonly pem: string;
}

export interface ReleasePlan {
  readonly version: string;
  readonly targetHardware: string;
  readonly image: Uint8Array;
  /** Default: 100. */
  readonly rolloutPercent?: number;
  /** Default: `stable`. */
  readonly rolloutChannel?: string;
}

/** A team's release desk: signs with a key that the server never sees. */
export interface ReleaseSigner {
  readonly key: ReleaseKey;
  sign(plan: ReleasePlan, releasedAt: string): z.input<typeof ReleaseRequest>;
}

/** Makes a desk with a key of its own (P-256, as field firmware expects). */
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
