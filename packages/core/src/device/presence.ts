import type { Logger } from "../ports/logger.js";
import type { Awaitable } from "../shared/awaitable.js";
import { createBoundedCache } from "../shared/bounded-cache.js";
import type { Device } from "./device.js";
import type { DeviceStore } from "./device-store.js";

/** A device is recorded at most once a minute: often enough for "online", without a write for each request. */
const intervalMs = 60_000;
/** A response waits at most this long for the write, because it does not depend on it. */
const maxWaitMs = 250;
/** Devices. They take about 20 MB. A device that is dropped costs one extra write. */
const capacity = 200_000;

/** Keeps `lastSeenAt` of the devices up to date. */
export interface Presence {
  /**
   * Records that a device sent an authenticated request. Writes at most once a minute, and once more for a new
   * owner. Resolves when it is written, after 250 ms at the latest.
   */
  see(
    device: Pick<Device, "deviceId" | "ownership">,
    now: number,
    requestId: string | null,
  ): Awaitable<void>;
  /** Notes that the store has recorded the device as seen, together with another write. */
  noteWritten(deviceId: string, now: number): void;
}

/** Waits for work that never rejects, but at most `ms` milliseconds. */
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
      logger.warn(
        { requestId, deviceId, err: error },
        "Could not record when the device was last seen.",
      );
    }
  }

  return {
    noteWritten,
    see({ deviceId, ownership }, now, requestId) {
      const before = writtenAt.get(deviceId) ?? Number.NEGATIVE_INFINITY;
      const { visibleFrom = 0 } = ownership ?? {};
      const isHidden = before < visibleFrom && now >= visibleFrom;
      if (isHidden || Math.abs(now - before) >= intervalMs) {
        return waitAtMost(maxWaitMs, write(deviceId, now, requestId));
      }
    },
  };
}
