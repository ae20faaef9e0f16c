import type { GatewayContext } from "../../context.js";
import type { OtaState } from "../../contract/index.js";
import { announceReport } from "./announce-report.js";
import type { OtaSource } from "./ota-event.js";
import { toUpdateRules } from "./update-rules.js";

/** News of an update, as far as it is told; the rest is nothing. */
export interface ReportedUpdate {
  readonly deviceId: string;
  /** What the device runs, by its own word. */
  readonly firmwareVersion: string;
  readonly state: OtaState;
  /** Of the release that it is about. */
  readonly version: string;
  /** Which release that is, where the server knows. */
  readonly releaseId?: number;
  readonly source: OtaSource;
  readonly lastResult?: string | undefined;
  readonly progress?: number | undefined;
  readonly message?: string | undefined;
  /** The server hands out the image from its first byte on. */
  readonly servesImage?: boolean;
  /** What the device posted, to tell what it only repeats. */
  readonly fingerprint?: string;
}

/** Hands news of an update to the store; gives back where the update stands then, null without one. */
export async function recordUpdate(
  context: GatewayContext,
  news: ReportedUpdate,
  requestId: string | null,
): Promise<OtaState | null> {
  const { store, deviceCache, clock, limits } = context;
  const { deviceId, firmwareVersion, state, version, source } = news;
  const event = {
    createdAt: clock.now(),
    deviceId,
    source,
    state,
    offeredVersion: version,
    fromVersion: firmwareVersion,
    lastResult: news.lastResult ?? state,
    lastCheckSucceeded: null,
    updateAvailable: null,
    updateApplied: null,
    progress: news.progress ?? null,
    message: news.message ?? null,
  };
  const report = {
    event,
    releaseId: news.releaseId ?? null,
    servesImage: news.servesImage ?? false,
    fingerprint: news.fingerprint ?? null,
  };
  const input = { report, rules: toUpdateRules(limits) };
  const outcome = await deviceCache.change(deviceId, () => store.updates.report(input));
  await announceReport(context, outcome, requestId);
  return outcome.state;
}
