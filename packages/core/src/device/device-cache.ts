import type { ChangeFollower } from "../change/change-follower.js";
import type { Device } from "./device.js";
import type { DeviceStore } from "./device-store.js";

const capacity = 20_000;

/** The devices that send requests, so that a token that is known good costs no round trip. */
export interface DeviceCache {
  /** The device as it was no more than 750 ms ago, by this process's own changes as it is. */
  find(deviceId: string): Promise<Device | null>;
  /** Runs a transition of a device and forgets what was known of it. */
  change<Outcome>(deviceId: string, transition: () => Promise<Outcome>): Promise<Outcome>;
}

interface Sources {
  readonly devices: Pick<DeviceStore, "find">;
  readonly follower: ChangeFollower;
}

export function createDeviceCache({ devices, follower }: Sources): DeviceCache {
  const known = new Map<string, Device>();
  // Counts what was forgotten: a read that began before must not bring it back.
  let generation = 0;

  function forget(deviceIds: Iterable<string>): void {
    generation++;
    for (const deviceId of deviceIds) known.delete(deviceId);
  }

  follower.subscribe((outcome) => {
    if (outcome.kind === "reset") forget(known.keys());
    else if (outcome.deviceIds.length > 0) forget(outcome.deviceIds);
  });

  function remember(device: Device): void {
    if (known.size >= capacity) {
      const [oldest] = known.keys();
      known.delete(oldest as string);
    }
    known.set(device.deviceId, device);
  }

  return {
    async find(deviceId) {
      const believable = await follower.isBelievable();
      const hit = believable ? known.get(deviceId) : undefined;
      if (hit !== undefined) return hit;
      const before = generation;
      const device = await devices.find(deviceId);
      if (believable && device !== null && generation === before) remember(device);
      return device;
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
