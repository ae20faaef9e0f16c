import {
  apiUrl,
  createReleaseServer,
  downloadUrl,
  type Intercept,
} from "../../../packages/device-client/src/testing/release-server.js";
import {
  createImage,
  createSimulatedDevice,
} from "../../../packages/device-client/src/testing/simulated-device.js";
import {
  createWaitingClock,
  type WaitingClock,
} from "../../../packages/device-client/src/testing/waiting-clock.js";
import { initialState } from "../../../packages/device-client/src/update/machine/update-state.js";
import { createUpdateNetwork } from "../../../packages/device-client/src/update/network/update-network.js";
import { createAssessment } from "../../../packages/device-client/src/update/offer/assess-offer.js";
import { sealState } from "../../../packages/device-client/src/update/sealed-state.js";
import { driveUpdates } from "../../../packages/device-client/src/update/updater.js";
import type { Plants } from "../attack.js";
import type { Dice } from "../dice.js";
import { pinned, type SignedRelease } from "./keys.js";
import { deviceTarget, running } from "./release-world.js";

/** What an attacker who impersonates the server sends to a device. */
export interface DeviceAttack {
  readonly offer: SignedRelease | null;
  readonly image: Uint8Array;
  /** Replaces the responses for the offer and the image. */
  readonly intercept?: (clock: WaitingClock) => Intercept;
  /** The highest version that the device has confirmed. Default: the version that it runs. */
  readonly floor?: string;
}

const dayMs = 86_400_000;
const checks = 4;
const maxRestarts = 12;
const assess = createAssessment(deviceTarget, pinned);
const tokens = { current: () => "token", renew: async () => {} };

/** Runs a device against the attacker for four days. Returns the hashes of the images that it installed. */
export async function runDeviceAttack(
  { offer, image, intercept, floor }: DeviceAttack,
  dice: Dice,
  plants: Plants | undefined,
): Promise<readonly string[]> {
  const clock = createWaitingClock();
  const server = createReleaseServer();
  server.offer = offer && { ...offer, downloadUrl };
  server.image = { bytes: image, etag: '"1"' };
  server.intercept = intercept?.(clock) ?? null;
  const device = createSimulatedDevice({
    image: createImage(running, { size: 100 }),
    capacity: 16_384,
    random: dice.next,
  });
  if (floor !== undefined) {
    await device.powerUp().storage.save(sealState(initialState(floor)));
  }
  const network = createUpdateNetwork({ apiUrl, fetch: server.fetch, tokens, clock });
  let restarts = 0;
  for (let check = 0; check < checks; check++) {
    const { behaviour: _, running: booted, ...parts } = device.powerUp();
    const ports = { ...parts, network, clock, random: dice.next };
    const context = { ports, assess: plants?.assess?.(assess) ?? assess, selfTestTimeoutMs: dayMs };
    const outcome = await driveUpdates(context, booted).run();
    if (outcome.kind === "restarting" && restarts++ < maxRestarts) check--;
    clock.advance(dayMs);
  }
  return device.installed;
}
