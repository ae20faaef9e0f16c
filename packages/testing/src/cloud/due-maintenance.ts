import type { Clock, Gateway, Logger } from "@device-gateway/core";

/** A server runs maintenance every 10 minutes: `startMaintenance` of `core/node`. */
const everyMs = 600_000;

export interface DueMaintenance {
  /**
   * Runs a round of maintenance if it is due. Returns the round that runs now, which may be an earlier call's, or null
   * if there is none. A failed round is logged, and does not reject.
   */
  run(gateway: Pick<Gateway, "maintain">): Promise<void> | null;
  /** Call it when the clock was advanced by this many milliseconds and no round is to be due because of it. */
  skip(ms: number): void;
}

/**
 * Creates the maintenance of a test cloud. A round is due when the clock is 10 minutes later than at the last one. It
 * needs no timer, and one round is enough, however far the clock was advanced: what it deletes and ends depends only on
 * the time now.
 */
export function createDueMaintenance(clock: Clock, logger: Logger): DueMaintenance {
  let lastAt = clock.now();
  let current: Promise<void> | null = null;

  async function maintain(gateway: Pick<Gateway, "maintain">): Promise<void> {
    try {
      await gateway.maintain();
    } catch (error) {
      logger.error({ err: error }, "Maintenance failed. The next round is due in 10 minutes.");
    }
  }

  return {
    run(gateway) {
      if (current === null && clock.now() - lastAt >= everyMs) {
        lastAt = clock.now();
        current = maintain(gateway).finally(() => {
          current = null;
        });
      }
      return current;
    },
    skip(ms) {
      lastAt += ms;
    },
  };
}
