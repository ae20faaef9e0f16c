import type { Logger } from "../ports/logger.js";
import type { Awaitable } from "../shared/awaitable.js";
import { createBoundedCache } from "../shared/bounded-cache.js";
import type { Device } from "./device.js";
import type { DeviceStore } from "./device-store.js";

/** Devices are seen to the minute: often enough for "online", and no write for each request. */
const stepMs = 60_000;
/** How long an answer waits for it: a sighting is good to have, and no more. */
const patienceMs = 250;
/** Some 20 MB. Forgetting costs no more than one write too many. */
const capacity = 200_000;

/** Keeps the devices' `lastSeenAt` up to date. */
export interface Presence {
  /**
   * A device sent an authenticated request. Writes at most once a minute, and anew for a new owner;
   * returns when it is written, or 250 ms later while the store takes longer.
   */
  see(
    device: Pick<Device, "deviceId" | "ownership">,
    now: number,
    requestId: string | null,
  ): Awaitable<void>;
  /** The store itself writes that the device is seen, along with something else. */
  noteWritten(deviceId: string, now: number): void;
}

/** Of work that never rejects. */
function waitAtMost(ms: number, work: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    void work.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

export function createPresence(devices: Pick<DeviceStore, "recordSeen">, logger: Logger): Presence {
  const writtenAt = createBoundedCache<number>(capacity);
  const noteWritten = (deviceId: string, now: number) => writtenAt.set(deviceId, now);

  async function write(deviceId: string, now: number, requestId: string | null): Promise<void> {
    noteWritten(deviceId, now);
    try {
      await devices.recordSeen({ deviceId, now });
    } catch (error) {
      writtenAt.delete(deviceId);
      logger.warn({ requestId, deviceId, err: error }, "Could not record that the device was seen");
    }
  }

  return {
    noteWritten,
    see({ deviceId, ownership }, now, requestId) {
      const before = writtenAt.get(deviceId) ?? Number.NEGATIVE_INFINITY;
      const { visibleFrom = 0 } = ownership ?? {};
      const isHidden = before < visibleFrom && now >= visibleFrom;
      if (isHidden || Math.abs(now - before) >= stepMs) {
        return waitAtMost(patienceMs, write(deviceId, now, requestId));
      }
    },
  };
}
