import type { OtaState, ReleaseStatus } from "@device-gateway/core/contract";
import type { Tone } from "../ui/parts.js";

/** The label and colour of each state of an update. */
export const updateStateLabels: Readonly<Record<OtaState, readonly [string, Tone]>> = {
  offered: ["Offered", "accent"],
  downloading: ["Downloading", "accent"],
  downloaded: ["Downloaded", "accent"],
  verified: ["Verified", "accent"],
  installing: ["Installing", "accent"],
  rebooting: ["Restarting", "accent"],
  succeeded: ["Updated", "good"],
  failed: ["Failed", "bad"],
  rejected: ["Rejected", "bad"],
  rolled_back: ["Rolled back", "bad"],
  cancelled: ["Cancelled", "plain"],
  timed_out: ["Timed out", "bad"],
};

/** The label and colour of each status of a release. */
export const releaseStatusLabels: Readonly<Record<ReleaseStatus, readonly [string, Tone]>> = {
  draft: ["Draft", "plain"],
  active: ["Active", "good"],
  paused: ["Paused", "warn"],
  withdrawn: ["Withdrawn", "bad"],
};
