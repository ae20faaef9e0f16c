import type { OtaState } from "./firmware-offer.js";

/**
 * The words that a device may use for the result of an update, by the state that they mean (§6). Only whole words match.
 * Case does not matter, and the parts of a word may be joined by hyphens, underscores, spaces or camel case.
 */
export const otaResultWords = {
  offered: ["offered", "available", "update-available", "update-offered"],
  downloading: ["downloading", "download-started", "download-in-progress"],
  downloaded: ["downloaded", "download-complete", "download-completed"],
  verified: ["verified", "signature-verified", "hash-verified"],
  installing: [
    "installing",
    "installed",
    "install-started",
    "update-installed",
    "applying",
    "applied",
    "update-applied",
    "flashing",
    "flashed",
    "updating",
  ],
  rebooting: [
    "rebooting",
    "restarting",
    "reboot-pending",
    "reboot-required",
    "restart-pending",
    "restart-required",
  ],
  succeeded: ["succeeded", "success", "update-succeeded", "update-success", "update-complete"],
  failed: [
    "failed",
    "failure",
    "error",
    "update-failed",
    "check-failed",
    "check-error",
    "download-failed",
    "download-error",
    "download-timeout",
    "verify-failed",
    "verification-failed",
    "not-verified",
    "signature-failed",
    "signature-invalid",
    "signature-mismatch",
    "invalid-signature",
    "bad-signature",
    "hash-mismatch",
    "sha256-mismatch",
    "checksum-mismatch",
    "size-mismatch",
    "invalid-image",
    "invalid-manifest",
    "install-failed",
    "apply-failed",
    "flash-failed",
    "write-failed",
    "not-installed",
    "not-applied",
    "update-not-installed",
    "update-not-applied",
    "out-of-space",
    "network-error",
    "http-error",
    "timeout",
  ],
  rejected: [
    "rejected",
    "update-rejected",
    "downgrade",
    "downgrade-rejected",
    "rejected-downgrade",
    "incompatible",
    "incompatible-hardware",
    "hardware-mismatch",
    "wrong-hardware",
  ],
  rolled_back: ["rolled-back", "rollback", "roll-back", "rolledback", "rollback-complete"],
  cancelled: ["cancelled", "canceled", "aborted"],
  timed_out: ["timed-out"],
} as const satisfies Readonly<Record<OtaState, readonly string[]>>;

const states: ReadonlyMap<string, OtaState> = new Map(
  Object.entries(otaResultWords).flatMap(([state, words]) =>
    words.map((word) => [word, state as OtaState] as const),
  ),
);

const toWord = (text: string): string =>
  text
    .trim()
    .replace(/([a-z])([A-Z])/g, "$1-$2")
    .replace(/[\s_-]+/g, "-")
    .toLowerCase();

/**
 * Returns the state that a device's result word means. Returns null for a word that is not in `otaResultWords`.
 *
 * @example
 * stateOfWord("Download_Failed"); // "failed"
 * stateOfWord("unheard-of"); // null
 */
export const stateOfWord = (text: string): OtaState | null => states.get(toWord(text)) ?? null;
