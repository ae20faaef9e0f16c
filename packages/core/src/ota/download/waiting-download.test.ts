import { sampleImage } from "@device-gateway/testing";
import { createTestCloud, type TestCloud } from "@device-gateway/testing/cloud";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { operator } from "../../api/principal.js";

afterEach(() => void vi.useRealTimers());

const deviceId = "gw-1";

/** Begins a download and takes its first piece. Returns the signal that ends it. */
async function begin(cloud: TestCloud, releaseId: number): Promise<AbortSignal> {
  const { token } = await cloud.addDevice({ deviceId });
  const { body, cut } = await cloud.gateway.handle({
    ...{ method: "GET", path: `/api/v1/ota/firmware/${releaseId}`, query: "" },
    clientAddress: null,
    header: (name) => (name === "authorization" ? `Bearer ${token}` : undefined),
    json: async () => ({ kind: "absent" }),
    async *stream() {},
  });
  const pieces = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  onTestFinished(async () => void (await pieces.return?.()));
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  expect((await pieces.next()).done).toBe(false);
  return cut as AbortSignal;
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
  const cloud = await createTestCloud();
  onTestFinished(() => cloud.close());
  const image = sampleImage(100_000);
  const plan = { version: "1.1.0", targetHardware: "esp32:devkit-v1", image };
  const { id } = await cloud.addRelease(plan);
  const cut = await begin(cloud, id);
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
