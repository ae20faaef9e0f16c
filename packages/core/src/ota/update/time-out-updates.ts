import type { GatewayContext } from "../../context.js";
import type { OtaState } from "../../contract/index.js";
import { compareFirmwareVersions } from "../../shared/firmware-version.js";
import { recordUpdate } from "./record-update.js";
import { toUpdateRules } from "./update-rules.js";

/** Returns how an overdue update ended. `ahead` compares the version that the device runs with the update's. */
function stateByVersion(ahead: number): OtaState {
  if (ahead === 0) return "succeeded";
  return ahead > 0 ? "cancelled" : "timed_out";
}

/**
 * Ends at most `limit` updates whose device has not reported for `updateTimeoutHours` (§6), or has the whole image and
 * has sent no request for `updateSilenceMinutes`. Returns how many it ended. If the device already runs the release, a
 * crash prevented the record of its success, so the update succeeded. If it runs a later version, a later update
 * replaced this one, which is cancelled. Otherwise it timed out. An update that cannot be ended does not stop the
 * others.
 * @throws the first error, after the last update.
 */
export async function timeOutUpdates(context: GatewayContext, limit: number): Promise<number> {
  const { timeoutMs, silenceMs } = toUpdateRules(context.limits);
  const now = context.clock.now();
  const since = { before: now - timeoutMs, silentSince: now - silenceMs };
  const overdue = await context.store.updates.overdue({ ...since, limit });
  const failures: unknown[] = [];
  for (const { deviceId, releaseId, version, firmwareVersion } of overdue) {
    const state = stateByVersion(compareFirmwareVersions(firmwareVersion, version));
    const report = { deviceId, firmwareVersion, releaseId, version, source: "server" } as const;
    await recordUpdate(context, { ...report, state }, null).catch((error: unknown) =>
      failures.push(error),
    );
  }
  if (failures.length > 0) throw failures[0];
  return overdue.length;
}
