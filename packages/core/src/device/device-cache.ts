import type { ChangeFollower } from "../change/change-follower.js";
import type { Awaitable } from "../shared/awaitable.js";
import { createBoundedCache } from "../shared/bounded-cache.js";
import type { Device } from "./device.js";
import type { DeviceStore } from "./device-store.js";

/** Devices. They take about 100 MB. */
const capacity = 100_000;

/** Caches the devices that send requests, so that a request with a cached token costs no round trip. */
export interface DeviceCache {
  /** Returns the device as it was at most 750 ms ago. Changes by this process are always included. */
  find(deviceId: string): Awaitable<Device | null>;
  /** Runs a transition of a device and removes the device from the cache. */
  change<Outcome>(deviceId: string, transition: () => Promise<Outcome>): Promise<Outcome>;
}

interface Sources {
  readonly devices: Pick<DeviceStore, "find">;
  readonly follower: ChangeFollower;
}

export function createDeviceCache({ devices, follower }: Sources): DeviceCache {
  const cache = createBoundedCache<Device>(capacity);
  // Counts removals: a read that began before a removal must not cache the former state.
  let generation = 0;

  function forget(deviceIds: readonly string[]): void {
    generation++;
    for (const deviceId of deviceIds) cache.delete(deviceId);
  }

  follower.subscribe((outcome) => {
    if (outcome.kind === "reset") {
      generation++;
      cache.clear();
    } else if (outcome.deviceIds.length > 0) forget(outcome.deviceIds);
  });

  async function read(deviceId: string, fresh: Awaitable<boolean>): Promise<Device | null> {
    const isUsable = await fresh;
    const hit = isUsable ? cache.get(deviceId) : undefined;
    if (hit !== undefined) return hit;
    const before = generation;
    const device = await devices.find(deviceId);
    if (isUsable && device !== null && generation === before) cache.set(deviceId, device);
    return device;
  }

  return {
    find(deviceId) {
      const fresh = follower.isFresh();
      const hit = fresh === true ? cache.get(deviceId) : undefined;
      return hit ?? read(deviceId, fresh);
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
