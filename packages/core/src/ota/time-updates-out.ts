import type { GatewayContext } from "../context.js";
import { compareFirmwareVersions } from "../device/firmware-version.js";
import { tellUpdate } from "./tell-update.js";
import { toUpdateRules } from "./update-rules.js";

/**
 * Ends updates that had no news for a day (contract §6), at most `limit`, and says how many it looked at: the
 * device runs the release by now, and a crash kept it from being noted, or it has failed.
 */
export async function timeUpdatesOut(context: GatewayContext, limit: number): Promise<number> {
  const { timeoutMs } = toUpdateRules(context.limits);
  const before = context.clock.now() - timeoutMs;
  const overdue = await context.store.updates.overdue({ before, limit });
  for (const { deviceId, releaseId, version, firmwareVersion } of overdue) {
    const runs = compareFirmwareVersions(firmwareVersion, version) === 0;
    const state = runs ? "succeeded" : "timed_out";
    const news = { deviceId, firmwareVersion, releaseId, version, source: "server" } as const;
    await tellUpdate(context, { ...news, state });
  }
  return overdue.length;
}
