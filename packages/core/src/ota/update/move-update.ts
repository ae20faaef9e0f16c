import type { OtaState } from "../../contract/index.js";
import type { OtaStanding } from "../offer/device-ota.js";
import {
  type DeviceUpdate,
  hasImage,
  isGivenUp,
  isUnderWay,
  phaseOf,
  type UpdateOutcome,
} from "./device-update.js";
import type { OtaEvent } from "./ota-event.js";
import type { UpdateRules } from "./update-rules.js";

/** A report about an update of a device. */
export interface UpdateReport {
  readonly event: OtaEvent;
  /** The release of the report. Null: the release of the event's version for the device's hardware. */
  readonly releaseId: number | null;
  /** Whether the server sends the image from its first byte. */
  readonly servesImage: boolean;
  /** Fingerprint of what the device posted, to recognise a repetition. Null for all other sources. */
  readonly fingerprint: string | null;
}

/** The effect of a report on an update. */
export interface UpdateMove {
  readonly state: OtaState;
  /** Whether an attempt begins, or the server sees the start of one that the device already reported. */
  readonly attempt?: "begins" | "adopted";
  readonly fails?: boolean;
  /** How the tally counts the device from now on. */
  readonly verdict?: UpdateOutcome;
}

const failed = (state: OtaState): UpdateMove => ({ state, fails: true, verdict: "failed" });

/** Starts an attempt. If the device has the image of an earlier attempt, that one has failed without a report. */
const begins = (from: OtaState): UpdateMove => ({
  state: "downloading",
  attempt: "begins",
  ...(hasImage(from) && { fails: true, verdict: "failed" }),
});

function startDownload(
  { state: from, attemptServed }: DeviceUpdate,
  { event, servesImage }: UpdateReport,
): UpdateMove | null {
  if (servesImage) {
    const wasReported = from === "downloading" && !attemptServed;
    return wasReported ? { state: from, attempt: "adopted" } : begins(from);
  }
  if (from === "downloading") return { state: from };
  if (from === "offered" || isGivenUp(from)) return begins(from);
  // Telemetry and resumed downloads may arrive later than what the device posts.
  const startsOver = from === "installing" || from === "rebooting";
  return startsOver && event.source === "device" ? begins(from) : null;
}

function goOn({ state: from }: DeviceUpdate, { state: to, source }: OtaEvent): UpdateMove | null {
  // The end of a download is recorded with a delay. The device may have reported more by then.
  if (isGivenUp(from)) return source === "server" ? null : { state: to, attempt: "begins" };
  if (phaseOf(to) < phaseOf(from)) return null;
  return from === "offered" ? { state: to, attempt: "begins" } : { state: to };
}

function giveUp({ state: from }: DeviceUpdate, event: OtaEvent): UpdateMove | null {
  const { state: to, source, lastCheckSucceeded } = event;
  // A failed check that telemetry reports says nothing about a release whose update never began.
  const isFailedCheck = to === "failed" && source === "telemetry" && lastCheckSucceeded === false;
  if (isGivenUp(from) || (isFailedCheck && from === "offered")) return null;
  return failed(to);
}

function timeOut(
  { state: from, updatedAt }: DeviceUpdate,
  { source, createdAt }: OtaEvent,
  { timeoutMs, silenceMs }: UpdateRules,
): UpdateMove | null {
  if (source !== "server") return isGivenUp(from) ? null : failed("timed_out");
  const quietMs = createdAt - updatedAt;
  const limitMs = hasImage(from) ? Math.min(silenceMs, timeoutMs) : timeoutMs;
  if (!isUnderWay(from) || quietMs < limitMs) return null;
  // A device that lost its connection during the download says nothing about the release.
  return hasImage(from) ? failed("timed_out") : { state: "timed_out", fails: true };
}

/** A success stays until the device rolls back, or is offered the release again because it rolled back. */
function afterSuccess(
  { releaseId }: DeviceUpdate,
  { state: to, source }: OtaEvent,
  { current }: OtaStanding,
): UpdateMove | null {
  if (to === "rolled_back") return failed(to);
  const isOfferedAgain =
    to === "offered" && source === "server" && current?.releaseId !== releaseId;
  return isOfferedAgain ? { state: to } : null;
}

/** Returns how a report moves an update. Returns null if it is late, repeated or nonsensical, and moves nothing. */
export function moveUpdate(
  update: DeviceUpdate,
  report: UpdateReport,
  standing: OtaStanding,
  rules: UpdateRules,
): UpdateMove | null {
  const { state: from } = update;
  const { event } = report;
  const { state: to, source } = event;
  if (from === "succeeded") return afterSuccess(update, event, standing);
  switch (to) {
    case "offered":
      return source === "server" && isGivenUp(from) ? { state: to } : null;
    case "downloading":
      return startDownload(update, report);
    case "downloaded":
    case "verified":
    case "installing":
    case "rebooting":
      return goOn(update, event);
    case "succeeded":
      return { state: to, verdict: "succeeded" };
    case "failed":
    case "rejected":
    case "rolled_back":
      return giveUp(update, event);
    case "timed_out":
      return timeOut(update, event, rules);
    case "cancelled":
      return isGivenUp(from) ? null : { state: to };
  }
}
