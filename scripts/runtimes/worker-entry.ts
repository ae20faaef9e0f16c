/**
 * Runs on workerd. `/suite` runs the wire suite within one request. Every other request goes to a gateway that lives
 * across requests, as in a real worker.
 */
import {
  createGateway,
  type Gateway,
  generateSecrets,
  headerAddress,
  operator,
  publishRelease,
  toFetchHandler,
} from "@device-gateway/core";
import { createMemoryArtifactStore, createMemoryStore } from "@device-gateway/store-memory";
import {
  createReleaseSigner,
  describeWire,
  sampleImage,
  serveInProcess,
  toArtifactFacts,
} from "@device-gateway/testing";
import { runTests } from "./vitest-shim.js";

describeWire("workerd × memory", {
  serve: serveInProcess,
  openStore: async () => {
    const store = createMemoryStore();
    return { store, dispose: () => store.close() };
  },
});

/** Creates a gateway with a release for its devices. */
async function startGateway(): Promise<Gateway> {
  const signer = await createReleaseSigner();
  const gateway = await createGateway({
    store: createMemoryStore(),
    secrets: generateSecrets(),
    scryptCost: { logN: 4, r: 8, p: 1 },
    publicUrl: "http://worker.test",
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

let gateway: Promise<Gateway> | undefined;

// biome-ignore lint/style/noDefaultExport: workerd looks for it.
export default {
  async fetch(request: Request): Promise<Response> {
    if (new URL(request.url).pathname === "/suite") return Response.json(await runTests());
    // A worker may not create random secrets before its first request.
    gateway ??= startGateway();
    const clientAddress = headerAddress("cf-connecting-ip");
    return toFetchHandler(await gateway, { clientAddress })(request);
  },
};
