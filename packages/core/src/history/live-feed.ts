import type { Logger } from "../ports/logger.js";
import type { StoredTelemetryRecord, TelemetryStore } from "../telemetry/telemetry-store.js";

/** At most one look a second for each watched device, however many watch it (contract §7). */
const pollMs = 1_000;
const pageSize = 200;

type Listener = (records: readonly StoredTelemetryRecord[]) => void;

interface Watched {
  /** What listeners have been told of goes up to here. */
  position: number;
  readonly listeners: Set<Listener>;
  timer: ReturnType<typeof setTimeout> | undefined;
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

  async function poll(deviceId: string, device: Watched): Promise<void> {
    try {
      const records = await telemetry.read({
        deviceId,
        after: device.position,
        limit: pageSize,
      });
      device.position = records.at(-1)?.position ?? device.position;
      if (records.length > 0) for (const listener of device.listeners) listener(records);
    } catch (error) {
      logger.warn({ deviceId, err: error }, "Could not look for live telemetry; trying again");
    }
    if (device.listeners.size > 0) {
      device.timer = setTimeout(() => void poll(deviceId, device), pollMs);
    }
  }

  return {
    async watch(deviceId, listener) {
      const position = await telemetry.lastPosition();
      const known = watched.get(deviceId);
      const device = known ?? { position, listeners: new Set<Listener>(), timer: undefined };
      device.listeners.add(listener);
      if (known === undefined) {
        watched.set(deviceId, device);
        device.timer = setTimeout(() => void poll(deviceId, device), pollMs);
      }
      return {
        position: device.position,
        stop() {
          device.listeners.delete(listener);
          if (device.listeners.size > 0) return;
          clearTimeout(device.timer);
          if (watched.get(deviceId) === device) watched.delete(deviceId);
        },
      };
    },
  };
}
