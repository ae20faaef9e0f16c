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
import { createAssessment } from "../../../packages/device-client/src/update/assess-offer.js";
import { sealState } from "../../../packages/device-client/src/update/sealed-state.js";
import { createUpdateNetwork } from "../../../packages/device-client/src/update/update-network.js";
import { initialState } from "../../../packages/device-client/src/update/update-state.js";
import { driveUpdates } from "../../../packages/device-client/src/update/updater.js";
import type { Plants } from "../attack.js";
import type { Dice } from "../dice.js";
import { pinned, type SignedRelease } from "./keys.js";
import { deviceTarget, running } from "./release-world.js";

/** What an attacker in the place of the server says to a device. */
export interface Ambush {
  readonly offer: SignedRelease | null;
  readonly image: Uint8Array;
  /** Answers in place of the offer and the image. */
  readonly meddle?: (clock: WaitingClock) => Intercept;
  /** What the device was confirmed to run once. Default: what it runs. */
  readonly floor?: string;
}

const dayMs = 86_400_000;
const checks = 4;
const mostRestarts = 12;
const assess = createAssessment(deviceTarget, pinned);
const tokens = { current: () => "token", renew: async () => {} };

/** Lets a device live through an ambush for some days; gives the hashes of what it installed. */
export async function runAmbush(
  { offer, image, meddle, floor }: Ambush,
  dice: Dice,
  plants: Plants | undefined,
): Promise<readonly string[]> {
  const clock = createWaitingClock();
  const server = createReleaseServer();
  server.offer = offer && { ...offer, downloadUrl };
  server.image = { bytes: image, etag: '"1"' };
  server.intercept = meddle?.(clock) ?? null;
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
    if (outcome.kind === "restarting" && restarts++ < mostRestarts) check--;
    clock.advance(dayMs);
  }
  return device.installed;
}
