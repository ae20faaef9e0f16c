import type { Gateway } from "../gateway.js";
import { type Logger, silentLogger } from "../ports/logger.js";

export interface MaintenanceOptions {
  /** Minutes between the starts of two rounds. Default: 10. */
  readonly everyMinutes?: number;
  /** Receives what each round deleted, and why a round failed. Default: silent. */
  readonly logger?: Logger;
}

export interface Maintenance {
  /** Starts no further round, aborts the current one, and waits for its end. */
  stop(): Promise<void>;
}

/**
 * Runs `gateway.maintain()` now and at an interval, one round at a time. A failed round is logged and retried at the
 * next interval. The timer does not keep the process alive.
 *
 * @example
 * const maintenance = startMaintenance(gateway);
 * process.once("SIGTERM", () => maintenance.stop());
 */
export function startMaintenance(
  gateway: Pick<Gateway, "maintain">,
  { everyMinutes = 10, logger = silentLogger }: MaintenanceOptions = {},
): Maintenance {
  const stopping = new AbortController();
  let current: Promise<void> | undefined;

  async function maintain(): Promise<void> {
    try {
      const report = await gateway.maintain(stopping.signal);
      const { droppedRegistrations, droppedRecords } = report;
      if (droppedRegistrations + droppedRecords > 0) {
        logger.info({ ...report }, "Deleted expired registrations and records");
      }
    } catch (error) {
      logger.error({ err: error }, `Maintenance failed. It runs again in ${everyMinutes} minutes`);
    }
  }
  const tick = () => {
    current ??= maintain().finally(() => {
      current = undefined;
    });
  };

  tick();
  const timer = setInterval(tick, everyMinutes * 60_000).unref();
  return {
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await current;
    },
  };
}
