import type { ChangeFeed } from "../change/change-feed.js";
import type { Clock } from "../ports/clock.js";
import type { Logger } from "../ports/logger.js";
import type { Device } from "./device.js";
import type { DeviceStore } from "./device-store.js";

/** Older than this, what is known is checked against the change feed in the background … */
const checkAfterMs = 250;
/** … and older than this, it is not believed: no revoked token lives for a second (contract §2). */
const believeMs = 750;
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
  readonly changes: Pick<ChangeFeed, "since">;
  readonly clock: Clock;
  readonly logger: Logger;
}

export function createDeviceCache({ devices, changes, clock, logger }: Sources): DeviceCache {
  const known = new Map<string, Device>();
  // Counts what was forgotten: a read that began before must not bring it back.
  let generation = 0;
  let cursor: string | null = null;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let checking: Promise<boolean> | undefined;

  function forget(deviceIds: Iterable<string>): void {
    generation++;
    for (const deviceId of deviceIds) known.delete(deviceId);
  }

  async function check(): Promise<boolean> {
    const startedAt = clock.now();
    try {
      const outcome = await changes.since(cursor);
      if (outcome.kind === "reset") forget(known.keys());
      else if (outcome.deviceIds.length > 0) forget(outcome.deviceIds);
      cursor = outcome.cursor;
      checkedAt = startedAt;
      return true;
    } catch (error) {
      logger.warn({ err: error }, "The change feed does not answer; devices are read each time");
      return false;
    } finally {
      checking = undefined;
    }
  }

  async function isBelievable(): Promise<boolean> {
    const age = clock.now() - checkedAt;
    if (age >= 0 && age < checkAfterMs) return true;
    checking ??= check();
    return (age >= 0 && age <= believeMs) || (await checking);
  }

  function remember(device: Device): void {
    if (known.size >= capacity) {
      const [oldest] = known.keys();
      known.delete(oldest as string);
    }
    known.set(device.deviceId, device);
  }

  return {
    async find(deviceId) {
      const believable = await isBelievable();
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
