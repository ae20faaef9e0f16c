import type { GatewayContext, RequestOrigin } from "../../context.js";
import type { OtaState } from "../../contract/index.js";
import type { Device } from "../../device/device.js";
import { canonicalVersion, compareFirmwareVersions } from "../../shared/firmware-version.js";
import type { DeviceOta } from "../offer/device-ota.js";
import { isGivenUp } from "./device-update.js";
import { recordUpdate } from "./record-update.js";

export interface Settlement {
  readonly version: string;
  readonly state: OtaState;
  readonly message?: string;
}

/**
 * What it means for a device's updates that it says at a boot which version it runs. Firmware restarts
 * before it can report (contract §6), and one that does not start at all is rolled back unsaid.
 */
export function settlementsOf(
  { current }: Pick<DeviceOta, "current">,
  before: string,
  runs: string,
): readonly Settlement[] {
  const changed = compareFirmwareVersions(runs, before) !== 0;
  const settled: Settlement[] = changed ? [{ version: runs, state: "succeeded" }] : [];
  if (current === null) return settled;
  const { version, state } = current;
  const ahead = compareFirmwareVersions(runs, version);
  if (ahead === 0) {
    return changed || state === "succeeded" ? settled : [{ version, state: "succeeded" }];
  }
  if (ahead < 0 && (state === "succeeded" || state === "rebooting")) {
    const message = `The device came back with ${runs}.`;
    return [...settled, { version, state: "rolled_back", message }];
  }
  if (ahead > 0 && state !== "succeeded" && !isGivenUp(state)) {
    const message = `The device runs ${runs} already.`;
    return [...settled, { version, state: "cancelled", message }];
  }
  return settled;
}

/** Moves a device's updates on by the version that it says it runs, at a login or a registration. */
export async function settleUpdates(
  context: GatewayContext,
  { deviceId, profile, ota }: Device,
  said: string,
  { requestId }: RequestOrigin,
): Promise<void> {
  const runs = canonicalVersion(said);
  for (const { version, state, message } of settlementsOf(ota, profile.firmwareVersion, runs)) {
    const news = { deviceId, firmwareVersion: runs, version, state, message };
    await recordUpdate(context, { ...news, source: "server" }, requestId);
  }
}
