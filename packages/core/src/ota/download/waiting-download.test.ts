import { sampleImage } from "@device-gateway/testing";
import { createTestCloud, type TestCloud } from "@device-gateway/testing/cloud";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { operator } from "../../api/principal.js";

afterEach(() => void vi.useRealTimers());

const deviceId = "gw-1";

/** Requests a download. `turn` is called when its turn comes. */
async function request(cloud: TestCloud, releaseId: number, turn = async () => {}) {
  const { token } = await cloud.addDevice({ deviceId });
  const { body, cut } = await cloud.gateway.handle({
    ...{ method: "GET", path: `/api/v1/ota/firmware/${releaseId}`, query: "" },
    ...{ clientAddress: null, turn },
    header: (name) => (name === "authorization" ? `Bearer ${token}` : undefined),
    json: async () => ({ kind: "absent" }),
    async *stream() {},
  });
  const pieces = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  onTestFinished(async () => void (await pieces.return?.()));
  return { pieces, cut: cut as AbortSignal };
}

/** Creates a cloud with a release. Returns the release's id too. */
async function prepare() {
  const cloud = await createTestCloud();
  onTestFinished(() => cloud.close());
  const image = sampleImage(100_000);
  const plan = { version: "1.1.0", targetHardware: "esp32:devkit-v1", image };
  const { id } = await cloud.addRelease(plan);
  return { cloud, id };
}

test.each([
  [
    "its release is paused",
    async ({ gateway }: TestCloud, releaseId: number) => {
      const change = { params: { releaseId }, body: { status: "paused" as const } };
      const paused = await gateway.as(operator({ id: "op" })).changeRelease(change);
      expect(paused.isOk()).toBe(true);
    },
  ],
  ["its device is revoked", (cloud: TestCloud) => cloud.revoke(deviceId)],
])("a download whose client takes nothing ends when %s", async (_, end) => {
  const { cloud, id } = await prepare();
  const { pieces, cut } = await request(cloud, id);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  expect((await pieces.next()).done).toBe(false);
  const wait = async () => {
    cloud.clock.advance(250);
    await vi.advanceTimersByTimeAsync(250);
    return cut.aborted;
  };
  for (let n = 0; n < 8; n++) expect(await wait()).toBe(false);
  await end(cloud, id);
  // The checked data is up to 750 ms old.
  cloud.clock.advance(1_000);
  await expect.poll(wait).toBe(true);
  expect(cut.reason).toMatchObject({ name: "CutStreamError" });
});

test("a device that is revoked while its download waits for its turn gets no image", async () => {
  const { cloud, id } = await prepare();
  const { pieces } = await request(cloud, id, async () => {
    await cloud.revoke(deviceId);
    // The checked data is up to 750 ms old.
    cloud.clock.advance(1_000);
  });
  await expect(pieces.next()).rejects.toMatchObject({ name: "CutStreamError" });
});
