import type { Refusal } from "./machine/update-event.js";

const refusals: Readonly<Record<Refusal, string>> = {
  malformed_offer: "its offer is malformed",
  wrong_target: "it is for other hardware",
  not_newer: "it is not newer than the running version",
  rollback: "it is older than a version that the device has confirmed before",
  too_large: "it does not fit into the device's flash memory",
  unknown_key: "it is signed with a key that the device does not have",
  wrong_algorithm: "its signature algorithm is not that of its key",
  invalid_signature: "its signature is invalid",
};

const isRefusal = (code: string): code is Refusal => Object.hasOwn(refusals, code);

/**
 * Describes why an update was refused or failed, from the message and code of its report. Returns the
 * reason for people with the code in brackets, or undefined if the report has neither.
 * @example
 * describeReason({ code: "wrong_target" }); // "it is for other hardware (wrong_target)"
 * describeReason({ code: "flash_failed", message: "EIO." }); // "EIO (flash_failed)"
 */
export function describeReason({
  code,
  message,
}: {
  readonly code?: string | undefined;
  readonly message?: string | undefined;
}): string | undefined {
  const known = code !== undefined && isRefusal(code) ? refusals[code] : undefined;
  const reason = (message || undefined)?.replace(/\.$/, "") ?? known;
  if (reason === undefined) return code;
  return code === undefined ? reason : `${reason} (${code})`;
}
