import { createReleaseSigner } from "@device-gateway/testing";
import { createTestCloud } from "@device-gateway/testing/cloud";
import { expect, onTestFinished, test } from "vitest";
import { createMyFlash, startUpdater, targetHardware, type UpdaterSetup } from "./my-updater.js";

const image = Uint8Array.from({ length: 200_000 }, (_, at) => (at * 7_919) >> 5);

async function bench() {
  const cloud = await createTestCloud();
  onTestFinished(() => cloud.close());
  const { token, deviceId } = await cloud.addDevice({ hardwareId: targetHardware });
  await cloud.addRelease({ version: "1.1.0", targetHardware, image });
  const flash = createMyFlash();
  const run = async (changes: Partial<UpdaterSetup> = {}) => {
    const updater = await startUpdater({ cloud, flash, token, running: "1.0.0", ...changes });
    return updater.run();
  };
  const states = () =>
    cloud.requestsTo("reportUpdate").map(({ body }) => (body as { state: string }).state);
  return { cloud, flash, run, states, deviceId };
}

test("an interrupted download resumes, and the installed image is the published one", async () => {
  const { cloud, flash, run } = await bench();
  cloud.fail("downloadFirmware", { kind: "cut", afterBytes: 120_000 });
  expect(await run()).toMatchObject({ kind: "restarting", version: "1.1.0" });
  expect(flash.installed).toEqual(image);

  const [whole, rest] = cloud.requestsTo("downloadFirmware");
  expect(whole?.header("range")).toBeUndefined();
  const from = Number(/^bytes=(\d+)-$/.exec(rest?.header("range") ?? "")?.[1]);
  expect(from).toBeGreaterThan(0);
  expect(rest?.status).toBe(206);
});

test("an offer with a bad signature is refused before the download", async () => {
  const { cloud, flash, run } = await bench();
  // The device has another key with the same id.
  const { id } = cloud.releaseKey;
  const { publicKey: pem } = (await createReleaseSigner(id)).key;
  expect(await run({ key: { id, pem } })).toMatchObject({ kind: "refused", version: "1.1.0" });
  expect(flash.installed).toBeNull();
  expect(cloud.requestsTo("downloadFirmware")).toHaveLength(0);
});

test("an image that was changed during its download is not installed", async () => {
  const { cloud, flash, run } = await bench();
  cloud.fail("downloadFirmware", { kind: "corrupted", atByte: 100_000 }, { times: 100 });
  const outcome = await run();
  expect(outcome.kind).not.toBe("restarting");
  expect(flash.installed).toBeNull();
});

test("after the restart into the new version, no update is offered", async () => {
  const { cloud, run, states } = await bench();
  await run();
  expect(await run({ running: "1.1.0" })).toMatchObject({ kind: "up_to_date" });
  expect(states()).toEqual(expect.arrayContaining(["downloading", "downloaded", "installing"]));
  expect(cloud.requestsTo("readLatestFirmware").length).toBeGreaterThan(0);
});
