import {
  createGateway,
  type Gateway,
  generateSecrets,
  operator,
  publishRelease,
} from "@device-gateway/core";
import { createMemoryArtifactStore, createMemoryStore } from "@device-gateway/store-memory";
import { createReleaseSigner, sampleImage, toArtifactFacts } from "@device-gateway/testing";

/** Creates a gateway with a release for its devices. */
export async function startTrialGateway(publicUrl: string): Promise<Gateway> {
  const signer = await createReleaseSigner();
  const gateway = await createGateway({
    store: createMemoryStore(),
    secrets: generateSecrets(),
    scryptCost: { logN: 4, r: 8, p: 1 },
    publicUrl,
    firmware: { keys: [signer.key], artifacts: createMemoryArtifactStore() },
  });
  const image = sampleImage(300_000);
  const facts = {
    version: "1.1.0",
    targetHardware: "esp32",
    releasedAt: "2026-01-31T12:00:00Z",
    ...toArtifactFacts(image),
  };
  const signature = await signer.sign(facts);
  const signed = { signature, signingKeyId: signer.key.id, signatureAlgorithm: signer.algorithm };
  const release = { ...facts, ...signed };
  (await publishRelease(gateway.as(operator({ id: "op" })), { release, image }))._unsafeUnwrap();
  return gateway;
}
