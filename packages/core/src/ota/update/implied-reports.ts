import type { GatewayContext } from "../../context.js";
import type { OtaState } from "../../contract/index.js";
import type { Device } from "../../device/device.js";
import { canonicalVersion, compareFirmwareVersions } from "../../shared/firmware-version.js";
import type { RequestOrigin } from "../../shared/request-origin.js";
import type { DeviceOta } from "../offer/device-ota.js";
import { isGivenUp } from "./device-update.js";
import { recordUpdate } from "./record-update.js";

/** A report that follows from the version that a device runs. */
export interface ImpliedReport {
  readonly version: string;
  readonly state: OtaState;
  readonly message?: string;
}

const restartedWith = (version: string) => `The device restarted with ${version}.`;

/**
 * Returns what the version that a device reports at boot means for its updates. Firmware restarts before it can
 * report the result of an update (§6), and firmware that does not start is rolled back without a report.
 */
export function impliedReports(
  { current }: Pick<DeviceOta, "current">,
  before: string,
  runs: string,
): readonly ImpliedReport[] {
  const changed = compareFirmwareVersions(runs, before) !== 0;
  const implied: ImpliedReport[] = changed ? [{ version: runs, state: "succeeded" }] : [];
  if (current === null || compareFirmwareVersions(current.version, before) !== 0) {
    // The device ran this version, so its update had succeeded, even if another one is current by now.
    if (compareFirmwareVersions(runs, before) < 0) {
      implied.push({ version: before, state: "rolled_back", message: restartedWith(runs) });
    }
  }
  if (current === null) return implied;
  const { version, state } = current;
  const ahead = compareFirmwareVersions(runs, version);
  if (ahead === 0) {
    return changed || state === "succeeded" ? implied : [{ version, state: "succeeded" }];
  }
  if (ahead < 0 && (state === "succeeded" || state === "rebooting")) {
    return [...implied, { version, state: "rolled_back", message: restartedWith(runs) }];
  }
  if (ahead > 0 && state !== "succeeded" && !isGivenUp(state)) {
    const message = `The device already runs ${runs}.`;
    return [...implied, { version, state: "cancelled", message }];
  }
  return implied;
}

/** Records what the version that a device reports at a login or a registration says about its updates. */
export async function recordImpliedReports(
  context: GatewayContext,
  { deviceId, profile, ota }: Device,
  reportedVersion: string,
  { requestId }: RequestOrigin,
): Promise<void> {
  const runs = canonicalVersion(reportedVersion);
  for (const { version, state, message } of impliedReports(ota, profile.firmwareVersion, runs)) {
    const firmwareVersion = state === "succeeded" ? profile.firmwareVersion : runs;
    const report = { deviceId, firmwareVersion, version, state, message };
    await recordUpdate(context, { ...report, source: "server" }, requestId);
  }
}
