import type { Awaitable } from "../awaitable.js";
import { createBoundedCache } from "../bounded-cache.js";
import type { ChangeFeed } from "../change/change-feed.js";
import type { Clock } from "../ports/clock.js";
import type { Logger } from "../ports/logger.js";
import type { Device } from "./device.js";
import type { DeviceStore } from "./device-store.js";

/** Older than this, what is known is checked against the change feed in the background … */
const checkAfterMs = 250;
/** … and older than this, it is not believed: no revoked token lives for a second (contract §2). */
const believeMs = 750;
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
  readonly changes: Pick<ChangeFeed, "since">;
  readonly clock: Clock;
  readonly logger: Logger;
}

export function createDeviceCache({ devices, changes, clock, logger }: Sources): DeviceCache {
  const known = createBoundedCache<Device>(capacity);
  // Counts what was forgotten: a read that began before must not bring it back.
  let generation = 0;
  let cursor: string | null = null;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let checking: Promise<boolean> | undefined;

  function forget(deviceIds: readonly string[]): void {
    generation++;
    for (const deviceId of deviceIds) known.delete(deviceId);
  }

  function forgetAll(): void {
    generation++;
    known.clear();
  }

  async function check(): Promise<boolean> {
    const startedAt = clock.now();
    try {
      const outcome = await changes.since(cursor);
      if (outcome.kind === "reset") forgetAll();
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

  /** Says so at once, unless it has to look. */
  function isBelievable(): Awaitable<boolean> {
    const age = clock.now() - checkedAt;
    if (age >= 0 && age < checkAfterMs) return true;
    checking ??= check();
    return (age >= 0 && age <= believeMs) || checking;
  }

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
      const believable = isBelievable();
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
