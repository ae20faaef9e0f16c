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

/** News of an update of a device. */
export interface UpdateReport {
  readonly event: OtaEvent;
  /** The release that it is about; null: the one of the event's version for the device's hardware. */
  readonly releaseId: number | null;
  /** The server hands out the image from its first byte on. */
  readonly servesImage: boolean;
  /** What the device posted, to tell what it only repeats; null for all other sources. */
  readonly fingerprint: string | null;
}

/** What a report makes of an update. */
export interface UpdateMove {
  readonly state: OtaState;
  /** An attempt begins, or the server sees one that the device told of already. */
  readonly attempt?: "begins" | "adopted";
  readonly fails?: boolean;
  /** What the guard counts the device as from now on. */
  readonly verdict?: UpdateOutcome;
}

const failed = (state: OtaState): UpdateMove => ({ state, fails: true, verdict: "failed" });

/** One that begins while the image of another is there: that one came to nothing, unsaid. */
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
    const toldBefore = from === "downloading" && !attemptServed;
    return toldBefore ? { state: from, attempt: "adopted" } : begins(from);
  }
  if (from === "downloading") return { state: from };
  if (from === "offered" || isGivenUp(from)) return begins(from);
  // Telemetry and resumed downloads may lag behind what the device posts.
  const startsOver = from === "installing" || from === "rebooting";
  return startsOver && event.source === "device" ? begins(from) : null;
}

function goOn({ state: from }: DeviceUpdate, { state: to, source }: OtaEvent): UpdateMove | null {
  // The end of a download is written after it: the device may have said more by then.
  if (isGivenUp(from)) return source === "server" ? null : { state: to, attempt: "begins" };
  if (phaseOf(to) < phaseOf(from)) return null;
  return from === "offered" ? { state: to, attempt: "begins" } : { state: to };
}

function giveUp({ state: from }: DeviceUpdate, event: OtaEvent): UpdateMove | null {
  const { state: to, source, lastCheckSucceeded } = event;
  // A check that failed, told by telemetry: of a release that was never begun it says nothing.
  const failedToAsk = to === "failed" && source === "telemetry" && lastCheckSucceeded === false;
  if (isGivenUp(from) || (failedToAsk && from === "offered")) return null;
  return failed(to);
}

function timeOut(
  { state: from, updatedAt }: DeviceUpdate,
  { source, createdAt }: OtaEvent,
  { timeoutMs, silenceMs }: UpdateRules,
): UpdateMove | null {
  if (source !== "server") return isGivenUp(from) ? null : failed("timed_out");
  const quietMs = createdAt - updatedAt;
  const patienceMs = hasImage(from) ? Math.min(silenceMs, timeoutMs) : timeoutMs;
  if (!isUnderWay(from) || quietMs < patienceMs) return null;
  // A device that lost its connection half-way says nothing against the release.
  return hasImage(from) ? failed("timed_out") : { state: "timed_out", fails: true };
}

/** A success stands until the device goes back, or is offered the release anew because it did. */
function afterSuccess(
  { releaseId }: DeviceUpdate,
  { state: to, source }: OtaEvent,
  { current }: OtaStanding,
): UpdateMove | null {
  if (to === "rolled_back") return failed(to);
  const offeredAnew = to === "offered" && source === "server" && current?.releaseId !== releaseId;
  return offeredAnew ? { state: to } : null;
}

/** Where a report moves an update; null: it is late, repeated or nonsense, and moves nothing. */
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
