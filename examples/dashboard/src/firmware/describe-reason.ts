import type { OtaHistoryEvent } from "@device-gateway/core/contract";
import type { UpdateOutcome } from "@device-gateway/device-client/update";

type RefusalCode = Extract<UpdateOutcome, { kind: "refused" }>["code"];

/** Why a gateway rejects an update. */
const refusals: Readonly<Record<RefusalCode, string>> = {
  malformed_offer: "The offer is malformed.",
  wrong_target: "The release is for other hardware.",
  not_newer: "It runs this version or a newer one.",
  rollback: "It has run a newer version before and does not go back to an older one.",
  too_large: "The image is too large for the device's memory.",
  unknown_key: "It does not know the key that signed this release.",
  wrong_algorithm: "The signing key is for another algorithm.",
  invalid_signature: "The signature does not match the image.",
};

/** Why an update failed after it began. */
const failures: Readonly<Record<string, string>> = {
  download_failed: "The download failed repeatedly.",
  encoded: "The image arrived compressed.",
  flash_failed: "The device could not write or read the image in its memory.",
  hash_mismatch: "The downloaded image differs from the published one.",
  image_keeps_changing: "The image changed during the download.",
  install_failed: "The device could not switch to the new version.",
  not_confirmed: "The new version started but never confirmed that it works.",
  rollback_failed: "The new version does not work, and the previous one does not start.",
  self_test_failed: "The new version failed its self-test.",
  slot_damaged: "The device's memory does not hold what was written to it.",
  unexpected_answer: "The server did not return the image.",
  wrong_length: "The image has the wrong length.",
  wrong_range: "The server returned a different part of the image than requested.",
  wrong_version: "The image contains a different version.",
};

const sentences = new Map(Object.entries({ ...refusals, ...failures }));

/**
 * Returns why an update ended: a sentence for a known code, else the device's own message or code.
 * Null if the device gave no reason.
 */
export function describeReason({
  state,
  lastResult,
  message,
}: Pick<OtaHistoryEvent, "state" | "lastResult" | "message">): string | null {
  return sentences.get(lastResult) ?? message ?? (lastResult === state ? null : lastResult);
}
