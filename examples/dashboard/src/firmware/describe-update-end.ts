import type { OtaHistoryEvent } from "@device-gateway/core/contract";
import type { UpdateOutcome } from "@device-gateway/device-client/update";
import * as reasonsText from "../text/update-reasons.js";

type RefusalCode = Extract<UpdateOutcome, { kind: "refused" }>["code"];

/** Why a gateway rejects an update. */
const refusals: Readonly<Record<RefusalCode, string>> = reasonsText.refusalReasons;

/** Why an update failed after it began. */
const failures: Readonly<Record<string, string>> = reasonsText.failureReasons;

const sentences = new Map(Object.entries({ ...refusals, ...failures }));

/**
 * Returns why an update ended: a sentence for a known code, else the device's own message or code.
 * Null if the device gave no reason.
 */
export function describeUpdateEnd({
  state,
  lastResult,
  message,
}: Pick<OtaHistoryEvent, "state" | "lastResult" | "message">): string | null {
  return sentences.get(lastResult) ?? message ?? (lastResult === state ? null : lastResult);
}
