import type { GatewayContext } from "../context.js";
import type { GatewayReads } from "../ports/gateway-store.js";
import { toTimestamp } from "../shared/timestamp.js";

/** Reads of one answer, and the headers that say how old they may be. */
export interface DatedReads extends Pick<GatewayReads, "telemetry" | "updates"> {
  /** `data-as-of` if the reads come from a copy of the storage (§7). */
  readonly headers: Readonly<Record<string, string>>;
}

/** Begins the reads of one answer. Find out first what the caller may see: that is never read from a copy. */
export async function openReads({ store, clock }: GatewayContext): Promise<DatedReads> {
  if (store.openReads === undefined) return { ...toReads(store), headers: {} };
  const reads = await store.openReads();
  const { lagMs } = reads;
  const headers = lagMs === null ? {} : { "data-as-of": toTimestamp(clock.now() - lagMs) };
  return { ...toReads(reads), headers };
}

const toReads = ({ telemetry, updates }: Pick<GatewayReads, "telemetry" | "updates">) => ({
  telemetry,
  updates,
});
