import type {
  GatewayStore,
  NewRelease,
  OtaState,
  Release,
  ReportOutcome,
  UpdateMoved,
  UpdateReport,
} from "@device-gateway/core/store";
import { sampleSecurityEvent, sampleTime, sampleUpdateRules } from "../samples/samples.js";
import { sampleRelease } from "./firmware-release-conformance.js";

/** Creates a release that can be offered to devices. */
export async function activeRelease(
  store: GatewayStore,
  changes: Partial<NewRelease> = {},
): Promise<Release> {
  const active = { status: "active", hasImage: true, activatedAt: sampleTime } as const;
  const release = sampleRelease({ ...active, ...changes });
  const event = sampleSecurityEvent("", "release.created");
  return (await store.releases.create({ release, event })).release;
}

/** Returns a report by the server about gw-1 and version 1.2.3. */
export function sampleReport(
  state: OtaState,
  {
    event,
    ...changes
  }: Omit<Partial<UpdateReport>, "event"> & {
    event?: Partial<UpdateReport["event"]>;
  } = {},
): UpdateReport {
  return {
    event: {
      createdAt: sampleTime,
      deviceId: "gw-1",
      source: "server",
      state,
      offeredVersion: "1.2.3",
      fromVersion: "0.1.10",
      lastResult: state,
      lastCheckSucceeded: null,
      updateAvailable: null,
      updateApplied: null,
      progress: null,
      message: null,
      ...event,
    },
    releaseId: null,
    servesImage: false,
    fingerprint: null,
    ...changes,
  };
}

/** Returns the outcome of a `sampleReport` that moved an update. */
export const movedTo = (to: OtaState, changes: Partial<UpdateMoved>): UpdateMoved => ({
  kind: "update.moved",
  at: sampleTime,
  deviceId: "gw-1",
  releaseId: 0,
  version: "1.2.3",
  from: null,
  to,
  source: "server",
  lastResult: to,
  message: null,
  ...changes,
});

type Changes = Parameters<typeof sampleReport>[1];
export const sendReport = (
  store: GatewayStore,
  state: OtaState,
  changes: Changes = {},
): Promise<ReportOutcome> =>
  store.updates.report({ report: sampleReport(state, changes), rules: sampleUpdateRules });
export const historyOf = async (store: GatewayStore, deviceId = "gw-1"): Promise<OtaState[]> => {
  const page = { deviceId, from: 0, before: Number.MAX_SAFE_INTEGER, limit: 1_000 };
  const events = await store.otaEvents.list(page);
  return events.map(({ state }) => state).reverse();
};
