import type { Logger } from "../ports/logger.js";
import { nextTurn } from "../shared/next-turn.js";
import type { StoredTelemetryRecord, TelemetryStore } from "../telemetry/telemetry-store.js";

/** Each watched device is polled once a second, however many clients watch it (§7). */
const pollMs = 1_000;
const pageSize = 200;
/**
 * Devices that are polled at once. Each poll begins in a turn of the event loop of its own, because a store in the same
 * process answers without leaving the turn.
 */
const maxAtOnce = 16;

type Listener = (records: readonly StoredTelemetryRecord[]) => void;

interface Watched {
  /** All records up to this position have been read. */
  position: number;
  readonly listeners: Set<Listener>;
}

/** Passes new records of devices to listeners. */
export interface LiveFeed {
  /** Calls back with every record after `position`. `stop` ends it. */
  watch(deviceId: string, listener: Listener): Promise<{ position: number; stop(): void }>;
  /** Ends the polls for all listeners. Later ones begin at the positions that the store then has. */
  forget(): void;
}

export function createLiveFeed(
  telemetry: Pick<TelemetryStore, "read" | "lastPositions">,
  logger: Logger,
): LiveFeed {
  const watched = new Map<string, Watched>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isPolling = false;

  async function poll(deviceId: string, device: Watched, newest: number): Promise<void> {
    try {
      const { position: after, listeners } = device;
      const records = await telemetry.read({ deviceId, after, limit: pageSize });
      // Skips the records of all other devices, so that a quiet device does not read past them each time.
      device.position = records.at(-1)?.position ?? Math.max(after, newest);
      if (records.length > 0) for (const listener of listeners) listener(records);
    } catch (error) {
      logger.warn({ deviceId, err: error }, "Could not poll live telemetry. Trying again");
    }
  }

  async function pollAll(): Promise<void> {
    timer = undefined;
    isPolling = true;
    try {
      // Read before the records, so that every record up to this position is seen.
      const all = [...watched];
      const newest = await telemetry.lastPositions(all.map(([id]) => id));
      for (let at = 0; at < all.length; at += maxAtOnce) {
        const some = all.slice(at, at + maxAtOnce);
        await Promise.all(
          some.map(async ([id, device], n) => {
            if (at + n > 0) await nextTurn();
            await poll(id, device, newest[at + n] ?? 0);
          }),
        );
      }
    } catch (error) {
      logger.warn({ err: error }, "Could not poll live telemetry. Trying again");
    }
    isPolling = false;
    schedule();
  }

  function schedule(): void {
    if (isPolling || watched.size === 0) return;
    timer ??= setTimeout(() => void pollAll(), pollMs);
  }

  return {
    forget: () => watched.clear(),
    async watch(deviceId, listener) {
      const [position = 0] = await telemetry.lastPositions([deviceId]);
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
