import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryStore } from "@device-gateway/store-memory";
import {
  createReleaseSigner,
  openWireWorld,
  sampleImage,
  sampleRegistration,
  toArtifactFacts,
  type WireSetup,
} from "@device-gateway/testing";
import { expect, onTestFinished, test } from "vitest";
import { operator } from "../../api/principal.js";
import { publishRelease } from "../../api/publish-release.js";
import { createFileArtifactStore } from "../../node/files/file-artifact-store.js";
import { toNodeListener } from "../../node/listener/node-listener.js";

const setup: WireSetup = {
  async serve(gateway) {
    const server = createServer(toNodeListener(gateway)).listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return {
      fetch: (path, init) => fetch(url + path, init),
      async close() {
        server.closeAllConnections();
        server.close();
      },
    };
  },
  async openStore() {
    const store = createMemoryStore();
    return { store, dispose: () => store.close() };
  },
};

test("the end of a download is recorded, even if its last piece fills the buffer of the connection", async () => {
  const folder = await mkdtemp(join(tmpdir(), "downloads-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const signer = await createReleaseSigner();
  const firmware = { keys: [signer.key], artifacts: await createFileArtifactStore({ folder }) };
  const world = await openWireWorld(setup, { firmware });
  onTestFinished(() => world.close());
  // One whole piece of the file store, and the buffer of a connection on Node 20 has half of that.
  const image = sampleImage(32_768);
  const { hardwareId: targetHardware } = sampleRegistration();
  const facts = { version: "1.1.0", targetHardware, releasedAt: "2026-01-31T12:00:00Z" };
  const described = { ...facts, ...toArtifactFacts(image) };
  const signed = { signature: await signer.sign(described), signingKeyId: signer.key.id };
  const api = world.gateway.as(operator({ id: "op" }));
  const published = await publishRelease(api, { release: { ...described, ...signed }, image });
  const { id } = published._unsafeUnwrap();
  const { deviceId, token } = await world.register();
  const headers = { authorization: `Bearer ${token}` };
  const response = await world.fetch(`/api/v1/ota/firmware/${id}`, { headers });
  expect((await response.arrayBuffer()).byteLength).toBe(image.length);
  const stateOf = async () => (await world.store.updates.list(deviceId))[0]?.state;
  await expect.poll(stateOf).toBe("downloaded");
});
