import type { GatewayContext } from "../../context.js";
import { toUpdateRules } from "./update-rules.js";

type Sources = Pick<GatewayContext, "store" | "clock" | "logger" | "limits" | "events">;

/** The least time between two calls by requests, in milliseconds. */
const settleMs = 500;

/** Lets a store of several databases halt rollouts (`GatewayStore.settle`), and announces the halts. */
export async function settleRollouts(sources: Sources): Promise<void> {
  const { store, clock, logger, limits, events } = sources;
  if (store.settle === undefined) return;
  const { toleratedShare } = toUpdateRules(limits);
  for (const halt of await store.settle({ toleratedShare, now: clock.now() })) {
    logger.warn(halt.details, "A rollout was halted because too many updates failed");
    events.announce(halt);
  }
}

/**
 * Creates a function that settles in the background, twice a second at most. Nobody waits for it. The feed's poll calls
 * it, so it runs while requests arrive.
 */
export function createSettler(sources: Sources): () => void {
  const { store, clock, logger } = sources;
  let startedAt = Number.NEGATIVE_INFINITY;
  let isRunning = false;
  let isFailing = false;

  async function settle(): Promise<void> {
    isRunning = true;
    try {
      await settleRollouts(sources);
      isFailing = false;
    } catch (error) {
      if (!isFailing)
        logger.warn({ err: error }, "Could not add up the failures of rollouts. Trying again");
      isFailing = true;
    } finally {
      isRunning = false;
    }
  }

  return () => {
    const age = clock.now() - startedAt;
    if (store.settle === undefined || isRunning || (age >= 0 && age < settleMs)) return;
    startedAt = clock.now();
    void settle();
  };
}
