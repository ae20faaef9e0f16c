import type { IsUnread } from "../change/change-feed.js";
import type { ChangePoller } from "../change/change-poller.js";
import type { Awaitable } from "../shared/awaitable.js";
import { createBoundedCache } from "../shared/bounded-cache.js";
import { createInTurn } from "../shared/in-turn.js";
import type { Device } from "./device.js";
import type { DeviceStore } from "./device-store.js";

/** Maximum number of cached devices. They take about 100 MB. */
const capacity = 100_000;

/** `all`: any device may have changed. */
type ChangeListener = (deviceIds: readonly string[] | "all") => void;

/** Caches the devices that send requests, so that a request with a cached token costs no round trip. */
export interface DeviceCache {
  /** Returns the device as it was at most 750 ms ago. Changes by this process are always included. */
  find(deviceId: string): Awaitable<Device | null>;
  /**
   * Runs a transition of a device and removes the device from the cache. Transitions of one device run one after
   * another: the store would make them wait for each other anyway, each holding a database connection.
   */
  change<Outcome>(deviceId: string, transition: () => Promise<Outcome>): Promise<Outcome>;
  /**
   * Runs a write that may change a device without waiting for transitions of the device. Then removes the device from
   * the cache.
   */
  write<Outcome>(deviceId: string, write: () => Promise<Outcome>): Promise<Outcome>;
  /** Calls the listener with the devices that this or another process changed, after they left the cache. */
  subscribe(listener: ChangeListener): void;
}

interface Sources {
  readonly devices: Pick<DeviceStore, "find">;
  readonly poller: ChangePoller;
}

export function createDeviceCache({ devices, poller }: Sources): DeviceCache {
  const cache = createBoundedCache<Device>(capacity);
  /** Reads that have begun and are not outdated by a removal. */
  const reads = new Map<string, Promise<Device | null>>();
  const listeners: ChangeListener[] = [];
  const inTurn = createInTurn();
  let isUnread: IsUnread | undefined;

  function forget(deviceIds: readonly string[]): void {
    for (const deviceId of deviceIds) {
      cache.delete(deviceId);
      reads.delete(deviceId);
    }
    for (const listener of listeners) listener(deviceIds);
  }

  poller.subscribe((outcome) => {
    isUnread = outcome.isUnread;
    if (outcome.kind === "reset") {
      cache.clear();
      reads.clear();
      for (const listener of listeners) listener("all");
    } else if (outcome.deviceIds.length > 0) forget(outcome.deviceIds);
  });

  const allChangesRead = (deviceId: string) => isUnread?.(deviceId) !== true;

  /** Starts a read, which lookups at the same time share. It caches the device unless the device was changed meanwhile. */
  function read(deviceId: string): Promise<Device | null> {
    const isCurrent = () => reads.get(deviceId) === running;
    const running: Promise<Device | null> = devices
      .find(deviceId)
      .then((device) => {
        if (isCurrent() && device !== null) cache.set(deviceId, device);
        return device;
      })
      .finally(() => isCurrent() && reads.delete(deviceId));
    reads.set(deviceId, running);
    return running;
  }

  async function lookUp(deviceId: string, fresh: Awaitable<boolean>): Promise<Device | null> {
    const isUsable = (await fresh) && allChangesRead(deviceId);
    if (!isUsable) return devices.find(deviceId);
    return cache.get(deviceId) ?? reads.get(deviceId) ?? read(deviceId);
  }

  async function write<Outcome>(deviceId: string, run: () => Promise<Outcome>): Promise<Outcome> {
    try {
      return await run();
    } finally {
      forget([deviceId]);
    }
  }

  return {
    subscribe: (listener) => void listeners.push(listener),
    find(deviceId) {
      const fresh = poller.isFresh();
      const hit = fresh === true && allChangesRead(deviceId) ? cache.get(deviceId) : undefined;
      return hit ?? lookUp(deviceId, fresh);
    },
    change: (deviceId, transition) => inTurn(deviceId, () => write(deviceId, transition)),
    write,
  };
}
