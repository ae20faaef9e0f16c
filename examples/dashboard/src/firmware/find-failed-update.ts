import type { OtaHistoryEvent, OtaState } from "@device-gateway/core/contract";
import { describeReason } from "./describe-reason.js";

/** As it stands behind a version, and in a sentence before it. */
const failureTexts: Readonly<Partial<Record<OtaState, readonly [string, string]>>> = {
  rejected: ["refused", "It refused"],
  failed: ["failed", "It failed at"],
  rolled_back: ["rolled back", "It went back from"],
};

export interface FailedUpdate {
  readonly label: string;
  /** What happened, and why if the device said so. */
  readonly sentence: string;
}

type End = Pick<OtaHistoryEvent, "state" | "offeredVersion" | "lastResult" | "message">;

/**
 * How the latest try of a version ended, if it ended badly. Events come newest first; that the
 * version is offered once more undoes nothing.
 */
export function findFailedUpdate(events: readonly End[], version: string | null): FailedUpdate | undefined {
  const last = events.find(
    ({ offeredVersion, state }) => offeredVersion === version && state !== "offered",
  );
  const told = last && failureTexts[last.state];
  if (!told) return undefined;
  const [word, beginning] = told;
  return { label: word, sentence: `${beginning} ${version}. ${describeReason(last) ?? ""}`.trimEnd() };
}
