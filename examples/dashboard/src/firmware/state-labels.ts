import type { OtaState, ReleaseStatus } from "@device-gateway/core/contract";
import type { Tone } from "../ui/parts.js";

/** How an update's state is told. */
export const updateStateLabels: Readonly<Record<OtaState, readonly [string, Tone]>> = {
  offered: ["Offered", "accent"],
  downloading: ["Downloading", "accent"],
  downloaded: ["Downloaded", "accent"],
  verified: ["Verified", "accent"],
  installing: ["Installing", "accent"],
  rebooting: ["Restarting", "accent"],
  succeeded: ["Updated", "good"],
  failed: ["Failed", "bad"],
  rejected: ["Refused", "bad"],
  rolled_back: ["Went back to the former version", "bad"],
  cancelled: ["Cancelled", "plain"],
  timed_out: ["Not heard of any more", "bad"],
};

export const releaseStatusLabels: Readonly<Record<ReleaseStatus, readonly [string, Tone]>> = {
  draft: ["Draft", "plain"],
  active: ["Active", "good"],
  paused: ["Paused", "warn"],
  withdrawn: ["Withdrawn", "bad"],
};
