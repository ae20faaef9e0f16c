import { Readable } from "node:stream";
import { createMemoryArtifactStore, createMemoryStore } from "@device-gateway/store-memory";
import { createReleaseSigner, sampleImage, toArtifactFacts } from "@device-gateway/testing";
import { expect, test, vi } from "vitest";
import { anyone, operator } from "../../api/principal.js";
import { publishRelease } from "../../api/publish-release.js";
import { generateSecrets } from "../../auth/generate-secrets.js";
import { createGateway } from "../../gateway.js";
import { ClientGoneError } from "../../http/request/client-gone-error.js";
import type { ArtifactStore } from "../release/artifact-store.js";

/** Returns a function that requests an image which a storage opens in this way. */
async function prepare(open: () => AsyncIterable<Uint8Array>) {
  const signer = await createReleaseSigner();
  const { write } = createMemoryArtifactStore();
  const artifacts: ArtifactStore = { write, open: async () => open() };
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
  return (method: string, turn = async () => {}) =>
    gateway.handle({
      ...{ method, path: `/api/v1/ota/firmware/${id}`, query: "", clientAddress: null, turn },
      header: (name) => (name === "authorization" ? `Bearer ${token}` : undefined),
      json: async () => ({ kind: "absent" }),
      async *stream() {},
    });
}

/** Sends HEAD for an image that a storage returns as `stream`. */
async function requestHead(stream: AsyncIterable<Uint8Array>): Promise<void> {
  const request = await prepare(() => stream);
  const response = await request("HEAD");
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

type Body = Awaited<ReturnType<Awaited<ReturnType<typeof prepare>>>>["body"];

async function lengthOf(body: Body): Promise<number> {
  let length = 0;
  if (typeof body !== "string") for await (const piece of body) length += piece.length;
  return length;
}

test("§9 an image is opened only after the device's earlier downloads have begun to read theirs", async () => {
  let unread = 0;
  const atOnce: number[] = [];
  async function* readImage() {
    unread -= 1;
    yield sampleImage(100);
  }
  const request = await prepare(() => {
    atOnce.push(++unread);
    return readImage();
  });
  const download = async () => lengthOf((await request("GET")).body);
  const lengths = await Promise.all(Array.from({ length: 6 }, download));
  expect(lengths).toEqual(Array(6).fill(100));
  expect(atOnce).toEqual(Array(6).fill(1));
});

test("§9 no image is opened for a client that goes while it waits for its turn", async () => {
  const open = vi.fn(() => Readable.from([sampleImage(100)]));
  const request = await prepare(open);
  const goes = () => Promise.reject(new ClientGoneError());
  const [first, gone, next] = await Promise.all([
    request("GET").then(({ body }) => lengthOf(body)),
    request("GET", goes).then(({ status }) => status),
    request("GET").then(({ body }) => lengthOf(body)),
  ]);
  expect([first, gone, next]).toEqual([100, 503, 100]);
  expect(open).toHaveBeenCalledTimes(2);
});

test("§6 the stream of a client that goes after the first piece is destroyed", async () => {
  const stream = Readable.from([sampleImage(50), sampleImage(50)]);
  const { body } = await (await prepare(() => stream))("GET");
  const pieces = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  expect((await pieces.next()).value).toHaveLength(50);
  await pieces.return?.();
  await expect.poll(() => stream.destroyed).toBe(true);
});
