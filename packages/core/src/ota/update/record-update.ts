import type { GatewayContext } from "../../context.js";
import type { OtaState } from "../../contract/index.js";
import { announceReport } from "./announce-report.js";
import type { OtaSource } from "./ota-event.js";
import { toUpdateRules } from "./update-rules.js";

/** A report about an update. Missing fields are null in its event. */
export interface ReportedUpdate {
  readonly deviceId: string;
  /** The version that the device reported. */
  readonly firmwareVersion: string;
  readonly state: OtaState;
  /** The version of the release that the report is about. */
  readonly version: string;
  /** The id of that release, if the server knows it. */
  readonly releaseId?: number;
  readonly source: OtaSource;
  readonly lastResult?: string | undefined;
  readonly progress?: number | undefined;
  readonly message?: string | undefined;
  /** Whether the server sends the image from its first byte. */
  readonly servesImage?: boolean;
  /** Fingerprint of what the device posted, to recognise a repetition. */
  readonly fingerprint?: string;
}

/** Passes a report about an update to the store. Returns the new state of the update, or null if there is no update. */
export async function recordUpdate(
  context: GatewayContext,
  reported: ReportedUpdate,
  requestId: string | null,
): Promise<OtaState | null> {
  const { store, deviceCache, clock, limits } = context;
  const { deviceId, firmwareVersion, state, version, source } = reported;
  const event = {
    createdAt: clock.now(),
    deviceId,
    source,
    state,
    offeredVersion: version,
    fromVersion: firmwareVersion,
    lastResult: reported.lastResult ?? state,
    lastCheckSucceeded: null,
    updateAvailable: null,
    updateApplied: null,
    progress: reported.progress ?? null,
    message: reported.message ?? null,
  };
  const report = {
    event,
    releaseId: reported.releaseId ?? null,
    servesImage: reported.servesImage ?? false,
    fingerprint: reported.fingerprint ?? null,
  };
  const input = { report, rules: toUpdateRules(limits) };
  const outcome = await deviceCache.change(deviceId, () => store.updates.report(input));
  await announceReport(context, outcome, requestId);
  return outcome.state;
}
