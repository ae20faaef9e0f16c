import type { ChangeFollower } from "../change/change-follower.js";
import type { Awaitable } from "../shared/awaitable.js";
import { createBoundedCache } from "../shared/bounded-cache.js";
import type { Device } from "./device.js";
import type { DeviceStore } from "./device-store.js";

/** Some 100 MB. */
const capacity = 100_000;

/** The devices that send requests, so that a token that is known good costs no round trip. */
export interface DeviceCache {
  /** The device as it was no more than 750 ms ago, by this process's own changes as it is. */
  find(deviceId: string): Awaitable<Device | null>;
  /** Runs a transition of a device and forgets what was known of it. */
  change<Outcome>(deviceId: string, transition: () => Promise<Outcome>): Promise<Outcome>;
}

interface Sources {
  readonly devices: Pick<DeviceStore, "find">;
  readonly follower: ChangeFollower;
}

export function createDeviceCache({ devices, follower }: Sources): DeviceCache {
  const known = createBoundedCache<Device>(capacity);
  // Counts what was forgotten: a read that began before must not bring it back.
  let generation = 0;

  function forget(deviceIds: readonly string[]): void {
    generation++;
    for (const deviceId of deviceIds) known.delete(deviceId);
  }

  follower.subscribe((outcome) => {
    if (outcome.kind === "reset") {
      generation++;
      known.clear();
    } else if (outcome.deviceIds.length > 0) forget(outcome.deviceIds);
  });

  async function read(deviceId: string, believable: Awaitable<boolean>): Promise<Device | null> {
    const isKept = await believable;
    const hit = isKept ? known.get(deviceId) : undefined;
    if (hit !== undefined) return hit;
    const before = generation;
    const device = await devices.find(deviceId);
    if (isKept && device !== null && generation === before) known.set(deviceId, device);
    return device;
  }

  return {
    find(deviceId) {
      const believable = follower.isBelievable();
      const hit = believable === true ? known.get(deviceId) : undefined;
      return hit ?? read(deviceId, believable);
    },
    async change(deviceId, transition) {
      try {
        return await transition();
      } finally {
        forget([deviceId]);
      }
    },
  };
}
