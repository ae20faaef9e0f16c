import { Readable } from "node:stream";
import { createMemoryArtifactStore, createMemoryStore } from "@device-gateway/store-memory";
import { createReleaseSigner, sampleImage, toArtifactFacts } from "@device-gateway/testing";
import { expect, test, vi } from "vitest";
import { anyone, operator } from "../../api/principal.js";
import { publishRelease } from "../../api/publish-release.js";
import { generateSecrets } from "../../auth/generate-secrets.js";
import { createGateway } from "../../gateway.js";
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
  return (method: string) =>
    gateway.handle({
      ...{ method, path: `/api/v1/ota/firmware/${id}`, query: "", clientAddress: null },
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

test("§9 the streams of downloads that a later one ends before their first piece are destroyed", async () => {
  const streams: Readable[] = [];
  const request = await prepare(() => {
    const stream = Readable.from([sampleImage(100)]);
    streams.push(stream);
    return stream;
  });
  const responses = await Promise.all(Array.from({ length: 6 }, () => request("GET")));
  const read = async ({ body }: (typeof responses)[number]) => {
    let length = 0;
    if (typeof body !== "string") for await (const piece of body) length += piece.length;
    return length;
  };
  const results = await Promise.allSettled(responses.map(read));
  expect(results.filter(({ status }) => status === "rejected")).toHaveLength(3);
  await expect.poll(() => streams.map(({ destroyed }) => destroyed)).toEqual(Array(6).fill(true));
});

/** Requests downloads of an image in two pieces. Returns the iterators of the responses, and the streams of the storage. */
async function beginDownloads(count: number) {
  const streams: Readable[] = [];
  const request = await prepare(() => {
    const stream = Readable.from([sampleImage(50), sampleImage(50)]);
    streams.push(stream);
    return stream;
  });
  const responses = await Promise.all(Array.from({ length: count }, () => request("GET")));
  const iterators = responses.map(({ body }) =>
    (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator](),
  );
  return { streams, iterators };
}

test("§6 the stream of a client that goes after the first piece is destroyed", async () => {
  const { streams, iterators } = await beginDownloads(1);
  expect((await iterators[0]?.next())?.value).toHaveLength(50);
  await iterators[0]?.return?.();
  await expect.poll(() => streams[0]?.destroyed).toBe(true);
});

test("§6 the stream of a client that goes while it waits for its turn is destroyed unread", async () => {
  const { streams, iterators } = await beginDownloads(2);
  const first = iterators[0]?.next();
  const second = iterators[1]?.next();
  await iterators[1]?.return?.();
  await expect(second).rejects.toThrow("The client has gone.");
  expect((await first)?.value).toHaveLength(50);
  await expect.poll(() => streams[1]?.destroyed).toBe(true);
  expect(streams[1]?.readableDidRead).toBe(false);
  await iterators[0]?.return?.();
});
