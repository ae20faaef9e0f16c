import type { GatewayContext } from "../../context.js";
import { compareFirmwareVersions } from "../../shared/firmware-version.js";
import { recordUpdate } from "./record-update.js";
import { toUpdateRules } from "./update-rules.js";

/**
 * Ends updates that had no news for a day (contract §6), or whose device fell silent with the image, at
 * most `limit`, and says how many: the device runs the release by now, and a crash kept it from being
 * noted, or it has failed.
 */
export async function timeUpdatesOut(context: GatewayContext, limit: number): Promise<number> {
  const { timeoutMs, silenceMs } = toUpdateRules(context.limits);
  const now = context.clock.now();
  const since = { before: now - timeoutMs, silentSince: now - silenceMs };
  const overdue = await context.store.updates.overdue({ ...since, limit });
  for (const { deviceId, releaseId, version, firmwareVersion } of overdue) {
    const runs = compareFirmwareVersions(firmwareVersion, version) === 0;
    const state = runs ? "succeeded" : "timed_out";
    const news = { deviceId, firmwareVersion, releaseId, version, source: "server" } as const;
    await recordUpdate(context, { ...news, state }, null);
  }
  return overdue.length;
}
