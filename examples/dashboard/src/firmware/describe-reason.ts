import type { OtaHistoryEvent } from "@device-gateway/core/contract";
import type { UpdateOutcome } from "@device-gateway/device-client/update";

type RefusalCode = Extract<UpdateOutcome, { kind: "refused" }>["code"];

/** Why a gateway refuses an update. */
const refusals: Readonly<Record<RefusalCode, string>> = {
  malformed_offer: "It can't make sense of what it is offered.",
  wrong_target: "It is for other hardware.",
  not_newer: "It runs this version or a later one.",
  rollback: "It has run a later version before, and goes back to none.",
  too_large: "The image is larger than its memory for one.",
  unknown_key: "It does not know the key that this version is signed with.",
  wrong_algorithm: "The key that it is signed with is for another algorithm.",
  invalid_signature: "The signature is not that of this image.",
};

/** Why an update that began came to nothing. */
const failures: Readonly<Record<string, string>> = {
  download_failed: "The download broke off again and again.",
  encoded: "The image came compressed by something on the way.",
  flash_failed: "Its memory for the image could not be written or read.",
  hash_mismatch: "What it downloaded is not the image that was published.",
  image_keeps_changing: "The image changed while it downloaded it.",
  install_failed: "It could not switch to the new version.",
  not_confirmed: "The new version started, but never said that it is well.",
  rollback_failed: "The new version is not well, and the former one does not start.",
  self_test_failed: "The new version failed its own test.",
  slot_damaged: "Its memory holds something else than what it wrote there.",
  unexpected_answer: "The server did not give it the image.",
  wrong_length: "The image came in another length.",
  wrong_range: "It got another part of the image than it asked for.",
  wrong_version: "The image says that it is another version.",
};

const sentences = new Map(Object.entries({ ...refusals, ...failures }));

/**
 * Why it came to that, in a sentence where the device's word is one of the known codes; else in the
 * device's own. Null: it did not say.
 */
export function describeReason({
  state,
  lastResult,
  message,
}: Pick<OtaHistoryEvent, "state" | "lastResult" | "message">): string | null {
  return sentences.get(lastResult) ?? message ?? (lastResult === state ? null : lastResult);
}
