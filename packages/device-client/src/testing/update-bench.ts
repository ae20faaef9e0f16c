import { createUpdateNetwork } from "../update/update-network.js";
import type { UpdateOutcome } from "../update/update-outcome.js";
import { createUpdater } from "../update/updater.js";
import { apiUrl, createReleaseServer, downloadUrl, type ReleaseServer } from "./release-server.js";
import { createSigningKey, type SigningKey, signOffer } from "./signing.js";
import {
  createImage,
  createSimulatedDevice,
  type ImageHabit,
  PowerCut,
  type SimulatedDevice,
} from "./simulated-device.js";
import { createWaitingClock, type WaitingClock } from "./waiting-clock.js";

const targetHardware = "esp32dev";
/** One key for all: making one takes longer than a test. */
const benchKey = createSigningKey("release-2026");

export interface UpdateBench {
  readonly device: SimulatedDevice;
  readonly server: ReleaseServer;
  readonly clock: WaitingClock;
  /** Publishes an image of this version, and serves it. */
  publish(version: string, options?: { habit?: ImageHabit; size?: number }): Uint8Array;
  /**
   * Starts the device, runs the updater, and does so again after each restart, until it rests or
   * the power was cut.
   */
  live(): Promise<UpdateOutcome | "power cut">;
  /** What runs once the device is started. */
  running(): string;
}

const mostRestarts = 20;

/** A device, its server and time, as the tests of the updater need them. */
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
      const { habit, ...booted } = device.powerUp();
      if (habit === "crashes") return "restarted";
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
    async live() {
      for (let restarts = 0; restarts < mostRestarts; restarts++) {
        const outcome = await start();
        if (outcome !== "restarted") return outcome;
      }
      throw new Error(`It restarted ${mostRestarts} times and did not come to rest.`);
    },
    running: () => device.powerUp().running,
  };
}
