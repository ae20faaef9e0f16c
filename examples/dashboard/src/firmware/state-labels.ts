import type { OtaState, ReleaseStatus } from "@device-gateway/core/contract";
import * as statesText from "../text/update-states.js";
import type { Tone } from "../ui/parts.js";

/** The label and colour of each state of an update. */
export const updateStateLabels: Readonly<Record<OtaState, readonly [string, Tone]>> = {
  offered: [statesText.offered, "accent"],
  downloading: [statesText.downloading, "accent"],
  downloaded: [statesText.downloaded, "accent"],
  verified: [statesText.verified, "accent"],
  installing: [statesText.installing, "accent"],
  rebooting: [statesText.restarting, "accent"],
  succeeded: [statesText.updated, "good"],
  failed: [statesText.failed, "bad"],
  rejected: [statesText.rejected, "bad"],
  rolled_back: [statesText.rolledBack, "bad"],
  cancelled: [statesText.cancelled, "plain"],
  timed_out: [statesText.timedOut, "bad"],
};

/** The label and colour of each status of a release. */
export const releaseStatusLabels: Readonly<Record<ReleaseStatus, readonly [string, Tone]>> = {
  draft: [statesText.draft, "plain"],
  active: [statesText.active, "good"],
  paused: [statesText.paused, "warn"],
  withdrawn: [statesText.withdrawn, "bad"],
};
