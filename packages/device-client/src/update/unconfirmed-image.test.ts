import { expect, test } from "vitest";
import { apiUrl, createReleaseServer, downloadUrl } from "../testing/release-server.js";
import { createSigningKey, signOffer } from "../testing/signing.js";
import { createImage, createSimulatedDevice } from "../testing/simulated-device.js";
import { createUpdateBench } from "../testing/update-bench.js";
import { createWaitingClock } from "../testing/waiting-clock.js";
import { createUpdateNetwork } from "./network/update-network.js";
import type { BootControl } from "./update-ports.js";
import { createUpdater } from "./updater.js";

const targetHardware = "esp32dev";
const key = createSigningKey("release-2026");
const signedOffer = (version: string, image: Uint8Array) =>
  signOffer(key, image, { version, targetHardware, downloadUrl });

/** Offers 3.0.0 to a device that has no stored state. */
function offerTo(flashedVersion: string) {
  const clock = createWaitingClock();
  const random = () => 0.5;
  const server = createReleaseServer();
  const release = createImage("3.0.0");
  server.image = { bytes: release, etag: '"3.0.0"' };
  server.offer = signedOffer("3.0.0", release);
  const tokens = { current: () => "token", renew: async () => {} };
  const network = createUpdateNetwork({ apiUrl, fetch: server.fetch, tokens, clock });
  const device = createSimulatedDevice({
    image: createImage(flashedVersion, { size: 100 }),
    random,
  });
  return {
    device,
    server,
    /** Installs an image as another program does it. The next start runs it on trial. */
    async installElsewhere(version: string) {
      const image = createImage(version, { size: 100 });
      const { slot, boot } = device.powerUp();
      await slot.begin(image.length);
      await slot.write(0, image);
      await boot.install(signedOffer(version, image));
    },
    /** Starts the device. Returns its updater. `change` replaces parts of the bootloader. */
    start(
      selfTest: () => Promise<void>,
      change: (boot: BootControl) => Partial<BootControl> = () => ({}),
    ) {
      const { behaviour: _, ...booted } = device.powerUp();
      const boot = { ...booted.boot, ...change(booted.boot) };
      const ports = { ...booted, boot, network, clock, random, selfTest };
      return createUpdater({ ...ports, targetHardware, keys: [key.pinned] });
    },
    downloads: () => server.requests.filter(({ path }) => path.startsWith("/ota/firmware")).length,
  };
}

const passes = async () => {};
const fails = async () => {
  throw new Error("No sensor.");
};

test("an image on trial whose stored state is lost is confirmed after its self-test", async () => {
  const { device, publish, runUntilIdle, running } = createUpdateBench();
  publish("2.0.0");
  device.eraseStateOnTrial();
  expect(await runUntilIdle()).toMatchObject({ kind: "refused", code: "not_newer" });
  expect(device.isOnTrial).toBe(false);
  expect(running()).toBe("2.0.0");
});

test("an image that fails its self-test after its state was lost does not prevent a lower version", async () => {
  const { device, publish, runUntilIdle, running } = createUpdateBench();
  publish("2.0.0", { behaviour: "fails_self_test" });
  device.eraseStateOnTrial();
  expect(await runUntilIdle()).toMatchObject({ kind: "refused", code: "not_newer" });
  expect(device.isOnTrial).toBe(true);
  // The next start rolls back.
  publish("1.5.0");
  await runUntilIdle();
  expect(running()).toBe("1.5.0");
});

test("an unconfirmed image on trial does not overwrite the former image with a later release", async () => {
  const { device, server, publish, runUntilIdle, running } = createUpdateBench();
  publish("2.0.0", { behaviour: "fails_self_test" });
  device.eraseStateOnTrial();
  server.intercept = ({ path }) => {
    if (path === "/ota/latest" && device.isOnTrial) publish("3.0.0");
    return undefined;
  };
  expect(await runUntilIdle()).toEqual({ kind: "later", message: "The sensor does not answer." });
  expect(device.isOnTrial).toBe(true);
  expect(device.installed).toHaveLength(1);
  // The next start rolls back, and the former image continues the update.
  expect(running()).toBe("1.0.0");
  await runUntilIdle();
  expect(running()).toBe("3.0.0");
});

test("an image that fails its self-test is tested at each run, and the update goes on when it passes", async () => {
  const { server, start, downloads } = offerTo("2.0.0");
  const selfTests = [fails, fails, passes];
  const updater = await start(async () => selfTests.shift()?.());
  for (let run = 0; run < 2; run++) {
    expect(await updater.run()).toEqual({ kind: "later", message: "No sensor." });
    expect(updater.state).toMatchObject({ floor: "0.0.0", phase: { kind: "downloading" } });
  }
  // Checks and reports go on.
  expect(server.states()).toEqual(["downloading"]);
  expect(downloads()).toBe(0);
  expect(await updater.run()).toEqual({ kind: "restarting", version: "3.0.0" });
  expect(updater.state?.floor).toBe("2.0.0");
  expect(selfTests).toEqual([]);
});

test("an image that the bootloader does not confirm downloads nothing until it is confirmed", async () => {
  const { device, installElsewhere, start, downloads } = offerTo("1.0.0");
  await installElsewhere("2.0.0");
  let isLocked = true;
  const updater = await start(passes, ({ confirm }) => ({
    async confirm() {
      if (isLocked) throw new Error("The flash is locked.");
      await confirm();
    },
    isOnTrial: async () => device.isOnTrial,
  }));
  expect(await updater.run()).toEqual({ kind: "later", message: "The flash is locked." });
  // It works, so it is not rolled back.
  expect(device.isOnTrial).toBe(true);
  expect(downloads()).toBe(0);
  isLocked = false;
  expect(await updater.run()).toEqual({ kind: "restarting", version: "3.0.0" });
});

test("an unknown image that is on trial and fails its self-test is rolled back", async () => {
  const { device, installElsewhere, start, downloads } = offerTo("1.0.0");
  await installElsewhere("2.0.0");
  const updater = await start(fails, () => ({ isOnTrial: async () => device.isOnTrial }));
  expect(await updater.run()).toEqual({ kind: "later", message: "No sensor." });
  expect(device.isOnTrial).toBe(false);
  expect(downloads()).toBe(0);
  expect(device.powerUp().running).toBe("1.0.0");
});

test("an image that is not on trial is updated, although it never passes its self-test", async () => {
  const { device, start } = offerTo("2.0.0");
  const updater = await start(fails, () => ({
    isOnTrial: async () => device.isOnTrial,
    reboot: async () => {},
  }));
  const restarting = { kind: "restarting", version: "3.0.0" };
  expect(await updater.run()).toEqual(restarting);
  // A run before the restart does not count as a start of the former image.
  expect(await updater.run()).toEqual(restarting);
  expect(updater.state).toMatchObject({ floor: "0.0.0", phase: { kind: "trial" }, troubles: [] });
});
