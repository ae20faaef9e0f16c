import type { OtaHistoryEvent, OtaState } from "@device-gateway/core/contract";
import { describeReason } from "./describe-reason.js";

/** A label beside the version, and a sentence about the version. */
const failureTexts: Readonly<
  Partial<Record<OtaState, readonly [string, (version: string) => string]>>
> = {
  rejected: ["rejected", (version) => `The device rejected ${version}.`],
  failed: ["failed", (version) => `The update to ${version} failed.`],
  rolled_back: ["rolled back", (version) => `The device rolled back from ${version}.`],
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
  return { label, sentence: `${toSentence(version)} ${describeReason(last) ?? ""}`.trimEnd() };
}
