import { Readable } from "node:stream";
import { createMemoryArtifactStore, createMemoryStore } from "@device-gateway/store-memory";
import { createReleaseSigner, sampleImage, toArtifactFacts } from "@device-gateway/testing";
import { expect, test, vi } from "vitest";
import { anyone, operator } from "../../api/principal.js";
import { publishRelease } from "../../api/publish-release.js";
import { generateSecrets } from "../../auth/generate-secrets.js";
import { createGateway } from "../../gateway.js";
import type { ArtifactStore } from "../release/artifact-store.js";

/** Sends HEAD for an image that a storage returns as `stream`. */
async function requestHead(stream: AsyncIterable<Uint8Array>): Promise<void> {
  const signer = await createReleaseSigner();
  const { write } = createMemoryArtifactStore();
  const artifacts: ArtifactStore = { write, open: async () => stream };
  const gateway = await createGateway({
    store: createMemoryStore(),
    secrets: generateSecrets(),
    scryptCost: { logN: 4, r: 8, p: 1 },
    firmware: { keys: [signer.key], artifacts },
  });
  const targetHardware = "board-1";
  const image = sampleImage(100);
  const facts = { version: "1.1.0", targetHardware, releasedAt: "2026-01-31T12:00:00Z" };
  const described = { ...facts, ...toArtifactFacts(image) };
  const signed = { signature: await signer.sign(described), signingKeyId: signer.key.id };
  const release = { ...described, ...signed };
  const api = gateway.as(operator({ id: "op" }));
  const { id } = (await publishRelease(api, { release, image }))._unsafeUnwrap();
  const body = { deviceId: "gw-1", hardwareId: targetHardware, firmwareVersion: "1.0.0" };
  const registered = await gateway
    .as(anyone)
    .registerDevice({ body: { ...body, claimCode: "ABCD-EFGH" } });
  const { token } = registered._unsafeUnwrap().body;
  const response = await gateway.handle({
    ...{ method: "HEAD", path: `/api/v1/ota/firmware/${id}`, query: "", clientAddress: null },
    header: (name) => (name === "authorization" ? `Bearer ${token}` : undefined),
    json: async () => ({ kind: "absent" }),
    async *stream() {},
  });
  expect([response.status, response.body]).toEqual([200, ""]);
}

test("§6 the stream of an image that nobody reads is ended", async () => {
  const next = vi.fn(async () => ({ done: true as const, value: undefined }));
  const leave = vi.fn(async () => ({ done: true as const, value: undefined }));
  await requestHead({ [Symbol.asyncIterator]: () => ({ next, return: leave }) });
  expect([leave.mock.calls.length, next.mock.calls.length]).toEqual([1, 0]);
});

test("§6 a Node stream that nobody reads is destroyed, because ending its iterator would not close it", async () => {
  const stream = new Readable({ read() {} });
  await requestHead(stream);
  expect(stream.destroyed).toBe(true);
});
