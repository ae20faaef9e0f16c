import type { Logger } from "../ports/logger.js";
import { nextTurn } from "../shared/next-turn.js";
import type { StoredTelemetryRecord, TelemetryStore } from "../telemetry/telemetry-store.js";

/** One look a second at each watched device, however many watch it (contract §7). */
const pollMs = 1_000;
const pageSize = 200;
/** Devices looked at before others have their turn: a store may answer without leaving the event loop. */
const mostAtOnce = 16;

type Listener = (records: readonly StoredTelemetryRecord[]) => void;

interface Watched {
  /** All that was stored up to here was looked at. */
  position: number;
  readonly listeners: Set<Listener>;
}

/** Tells listeners what a device sends, as it comes. */
export interface LiveFeed {
  /** Calls back with every record beyond `position`; `stop` ends it. */
  watch(deviceId: string, listener: Listener): Promise<{ position: number; stop(): void }>;
}

export function createLiveFeed(
  telemetry: Pick<TelemetryStore, "read" | "lastPosition">,
  logger: Logger,
): LiveFeed {
  const watched = new Map<string, Watched>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isLooking = false;

  async function look(deviceId: string, device: Watched, newest: number): Promise<void> {
    try {
      const { position: after, listeners } = device;
      const records = await telemetry.read({ deviceId, after, limit: pageSize });
      // Not to go through what all the others send again and again, while a device is quiet.
      device.position = records.at(-1)?.position ?? Math.max(after, newest);
      if (records.length > 0) for (const listener of listeners) listener(records);
    } catch (error) {
      logger.warn({ deviceId, err: error }, "Could not look for live telemetry; trying again");
    }
  }

  async function lookAtAll(): Promise<void> {
    timer = undefined;
    isLooking = true;
    try {
      // Before the records: then each up to it is seen, of whichever device.
      const newest = await telemetry.lastPosition();
      const all = [...watched];
      for (let at = 0; at < all.length; at += mostAtOnce) {
        if (at > 0) await nextTurn();
        const some = all.slice(at, at + mostAtOnce);
        await Promise.all(some.map(([id, device]) => look(id, device, newest)));
      }
    } catch (error) {
      logger.warn({ err: error }, "Could not look for live telemetry; trying again");
    }
    isLooking = false;
    schedule();
  }

  function schedule(): void {
    if (isLooking || watched.size === 0) return;
    timer ??= setTimeout(() => void lookAtAll(), pollMs);
  }

  return {
    async watch(deviceId, listener) {
      const position = await telemetry.lastPosition();
      const device = watched.get(deviceId) ?? { position, listeners: new Set<Listener>() };
      device.listeners.add(listener);
      watched.set(deviceId, device);
      schedule();
      return {
        position: device.position,
        stop() {
          device.listeners.delete(listener);
          if (device.listeners.size > 0) return;
          if (watched.get(deviceId) === device) watched.delete(deviceId);
          if (watched.size > 0) return;
          clearTimeout(timer);
          timer = undefined;
        },
      };
    },
  };
}
