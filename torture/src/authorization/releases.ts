import { createHash, generateKeyPairSync, sign } from "node:crypto";
import type { FirmwareOptions } from "@device-gateway/core";
import { type ReleaseRequest, signedLines } from "@device-gateway/core/contract";
import { createMemoryArtifactStore } from "@device-gateway/store-memory";
import { need, type World } from "../world.js";

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

/** Publishes release 1 and creates release 2 as a draft. */
export async function plantReleases(
  { send }: World,
  token: string,
  targetHardware: string,
  { image, draftNotes }: { readonly image: string; readonly draftNotes: string },
): Promise<void> {
  const path = "/operator/firmware/releases";
  const create = async (body: object) =>
    need(await send({ method: "POST", path, token, body }), 201);
  await create(describeRelease("9.0.1", targetHardware, image));
  const bytes = Buffer.from(image);
  need(await send({ method: "PUT", path: `${path}/1/image`, token, body: bytes }), 200);
  need(await send({ method: "PATCH", path: `${path}/1`, token, body: { status: "active" } }), 200);
  await create({ ...describeRelease("9.0.2", targetHardware, "draft"), notes: draftNotes });
}
