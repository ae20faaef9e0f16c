import type { GatewayContext } from "../../context.js";
import type { ReportOutcome } from "./update-store.js";

/** Announces the effects of a report about an update, after they are committed. */
export async function announceReport(
  { events, logger, releaseCatalog }: GatewayContext,
  { moved, halt }: Pick<ReportOutcome, "moved" | "halt">,
  requestId: string | null,
): Promise<void> {
  if (moved !== null) events.announce(moved);
  if (halt === null) return;
  await releaseCatalog.change(async () => {});
  logger.warn(
    { requestId, ...halt.details },
    "A rollout was halted because too many updates failed",
  );
  events.announce(halt);
}
