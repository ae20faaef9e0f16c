import { sampleRelease, sampleUpdateRules } from "@device-gateway/testing";
import type { OtaState } from "../../../contract/index.js";
import { newStanding } from "../../offer/device-ota.js";
import { newTally } from "../../release/judge-rollout.js";
import { advanceUpdate, type UpdateFacts, type UpdateStep } from "../advance-update.js";
import type { UpdateReport } from "../move-update.js";
import type { OtaSource } from "../ota-event.js";

/** When the release was activated. */
export const start = Date.UTC(2025, 5, 2);
/** An active release. */
export const release = {
  ...sampleRelease({ status: "active", hasImage: true, activatedAt: start }),
  id: 1,
  revision: 1,
};
/** A device that no update was offered to. */
export const nothing: UpdateFacts = {
  release,
  update: null,
  standing: newStanding,
  tally: newTally,
  benchMode: false,
};

/** A report, with defaults for what a test does not care about. */
export interface SentReport {
  readonly state: OtaState;
  readonly source?: OtaSource;
  readonly at?: number;
  readonly servesImage?: boolean;
  readonly lastCheckSucceeded?: boolean;
}

/** Returns the report as the gateway records it. */
export const toReport = ({
  state,
  source = "device",
  at = start,
  servesImage = false,
  lastCheckSucceeded,
}: SentReport) =>
  ({
    event: {
      createdAt: at,
      deviceId: "gw-1",
      source,
      state,
      offeredVersion: release.version,
      fromVersion: "1.0.0",
      lastResult: state,
      lastCheckSucceeded: lastCheckSucceeded ?? null,
      updateAvailable: null,
      updateApplied: null,
      progress: null,
      message: null,
    },
    releaseId: null,
    servesImage,
    fingerprint: source === "device" ? `${state} ${at}` : null,
  }) satisfies UpdateReport;

/** Returns what is stored after a step. */
export const afterStep = (facts: UpdateFacts, step: UpdateStep): UpdateFacts => ({
  release:
    step.halt === null ? facts.release : { ...release, status: "paused", haltedAt: step.halt.at },
  update: step.update ?? facts.update,
  standing: step.standing ?? facts.standing,
  tally: step.tally ?? facts.tally,
  benchMode: facts.benchMode,
});

/** Applies reports to a device. Returns the final state, and the reports that were recorded in the history. */
export function applyReports(reports: readonly SentReport[], from: UpdateFacts = nothing) {
  let facts = from;
  const recorded: OtaState[] = [];
  for (const sent of reports) {
    const step = advanceUpdate(facts, toReport(sent), sampleUpdateRules);
    if (step.recorded !== null) recorded.push(sent.state);
    facts = afterStep(facts, step);
  }
  return { facts, recorded, state: facts.update?.state ?? null };
}

/** The server offered the release. */
export const offered: SentReport = { state: "offered", source: "server" };
/** The server served the whole image. */
export const served = (at = start): SentReport => ({
  state: "downloading",
  source: "server",
  servesImage: true,
  at,
});
