import type { OtaHistoryEvent, OtaState } from "@device-gateway/core/contract";
import { tellReason } from "./tell-reason.js";

/** As it stands behind a version, and in a sentence before it. */
const badEnds: Readonly<Partial<Record<OtaState, readonly [string, string]>>> = {
  rejected: ["refused", "It refused"],
  failed: ["failed", "It failed at"],
  rolled_back: ["rolled back", "It went back from"],
};

export interface BadEnd {
  readonly word: string;
  /** What happened, and why if the device said so. */
  readonly sentence: string;
}

type End = Pick<OtaHistoryEvent, "state" | "offeredVersion" | "lastResult" | "message">;

/**
 * How the latest try of a version ended, if it ended badly. Events come newest first; that the
 * version is offered once more undoes nothing.
 */
export function findBadEnd(events: readonly End[], version: string | null): BadEnd | undefined {
  const last = events.find(
    ({ offeredVersion, state }) => offeredVersion === version && state !== "offered",
  );
  const told = last && badEnds[last.state];
  if (!told) return undefined;
  const [word, beginning] = told;
  return { word, sentence: `${beginning} ${version}. ${tellReason(last) ?? ""}`.trimEnd() };
}
