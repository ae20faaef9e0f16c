import type { Gateway, Logger } from "@device-gateway/core";

const everyMs = 10 * 60_000;

export interface Maintenance {
  /** Begins no further round, ends the one that is under way early, and waits for it. */
  stop(): Promise<void>;
}

/** Lets the gateway clear away what has had its time: now, and every 10 minutes, one at a time. */
export function startMaintenance(gateway: Pick<Gateway, "maintain">, logger: Logger): Maintenance {
  const stopping = new AbortController();
  let underWay: Promise<void> | undefined;

  async function maintain(): Promise<void> {
    try {
      const report = await gateway.maintain(stopping.signal);
      const { droppedRegistrations, droppedRecords } = report;
      if (droppedRegistrations + droppedRecords > 0) {
        logger.info({ ...report }, "Dropped what has had its time");
      }
    } catch (error) {
      logger.error({ err: error }, "Maintenance failed; it is tried again in 10 minutes");
    }
  }
  const tick = () => {
    underWay ??= maintain().finally(() => {
      underWay = undefined;
    });
  };

  tick();
  const timer = setInterval(tick, everyMs).unref();
  return {
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await underWay;
    },
  };
}
