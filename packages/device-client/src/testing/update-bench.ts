import type { UpdateOutcome } from "../update/machine/update-outcome.js";
import { createUpdateNetwork } from "../update/network/update-network.js";
import { createUpdater } from "../update/updater.js";
import { apiUrl, createReleaseServer, downloadUrl, type ReleaseServer } from "./release-server.js";
import { createSigningKey, type SigningKey, signOffer } from "./signing.js";
import {
  createImage,
  createSimulatedDevice,
  type ImageBehaviour,
  PowerCut,
  type SimulatedDevice,
} from "./simulated-device.js";
import { createWaitingClock, type WaitingClock } from "./waiting-clock.js";

const targetHardware = "esp32dev";
/** All tests share one key, because generating a key takes longer than a test. */
const benchKey = createSigningKey("release-2026");

/** What the device reports of a successful update to an image of 400,000 bytes. */
export const goodStates = [
  "downloading",
  "downloading 25",
  "downloading 50",
  "downloading 75",
  "downloaded",
  "verified",
  "installing",
  "rebooting",
  "succeeded 100",
];

export interface UpdateBench {
  readonly device: SimulatedDevice;
  readonly server: ReleaseServer;
  readonly clock: WaitingClock;
  /** Publishes an image of this version and serves it. */
  publish(version: string, options?: { behaviour?: ImageBehaviour; size?: number }): Uint8Array;
  /**
   * Starts the device and runs the updater, again after each restart. Returns when the updater has
   * nothing more to do or the power was cut.
   */
  runUntilIdle(): Promise<UpdateOutcome | "power cut">;
  /** Starts the device and returns the running version. */
  running(): string;
}

const maxRestarts = 20;

/** Creates a device, its server and a clock for tests of the updater. */
export function createUpdateBench({
  running = "1.0.0",
  random = () => 0.5,
  key = benchKey,
}: {
  readonly running?: string;
  readonly random?: () => number;
  readonly key?: SigningKey;
} = {}): UpdateBench {
  const device = createSimulatedDevice({ image: createImage(running, { size: 100 }), random });
  const server = createReleaseServer();
  const clock = createWaitingClock();
  const tokens = { current: () => "token", renew: async () => {} };
  const network = createUpdateNetwork({ apiUrl, fetch: server.fetch, tokens, clock });

  const start = async (): Promise<UpdateOutcome | "power cut" | "restarted"> => {
    try {
      const { behaviour, ...booted } = device.powerUp();
      if (behaviour === "crashes") return "restarted";
      const ports = { ...booted, network, clock, random };
      const updater = await createUpdater({ ...ports, targetHardware, keys: [key.pinned] });
      const outcome = await updater.run();
      return outcome.kind === "restarting" ? "restarted" : outcome;
    } catch (fault) {
      if (fault instanceof PowerCut) return "power cut";
      throw fault;
    }
  };

  return {
    device,
    server,
    clock,
    publish(version, options) {
      const image = createImage(version, options);
      server.image = { bytes: image, etag: `"${version}"` };
      server.offer = signOffer(key, image, { version, targetHardware, downloadUrl });
      return image;
    },
    async runUntilIdle() {
      for (let restarts = 0; restarts < maxRestarts; restarts++) {
        const outcome = await start();
        if (outcome !== "restarted") return outcome;
      }
      throw new Error(`The device restarted ${maxRestarts} times without finishing.`);
    },
    running: () => device.powerUp().running,
  };
}
