import type { OtaHistoryEvent, OtaState } from "@device-gateway/core/contract";
import * as firmwareText from "../text/firmware.js";
import { describeUpdateEnd } from "./describe-update-end.js";

/** A label beside the version, and a sentence about the version. */
const failureTexts: Readonly<
  Partial<Record<OtaState, readonly [string, (version: string) => string]>>
> = {
  rejected: [firmwareText.failureRejected, firmwareText.deviceRejected],
  failed: [firmwareText.failureFailed, firmwareText.updateFailed],
  rolled_back: [firmwareText.failureRolledBack, firmwareText.deviceRolledBack],
  timed_out: [firmwareText.failureTimedOut, firmwareText.updateTimedOut],
};

export interface FailedUpdate {
  readonly label: string;
  /** What happened, and why if the device reported a reason. */
  readonly sentence: string;
}

type UpdateEvent = Pick<OtaHistoryEvent, "state" | "offeredVersion" | "lastResult" | "message">;

/**
 * Returns how the latest update to a version failed, or undefined if it did not fail. Events come
 * newest first. A new offer of the version does not clear the failure.
 */
export function findFailedUpdate(
  events: readonly UpdateEvent[],
  version: string | null,
): FailedUpdate | undefined {
  const last = events.find(
    ({ offeredVersion, state }) => offeredVersion === version && state !== "offered",
  );
  const texts = last && failureTexts[last.state];
  if (version === null || !texts) return undefined;
  const [label, toSentence] = texts;
  return { label, sentence: `${toSentence(version)} ${describeUpdateEnd(last) ?? ""}`.trimEnd() };
}
