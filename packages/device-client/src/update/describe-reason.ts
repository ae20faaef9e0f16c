import type { Refusal } from "./update-event.js";

const refusals: Readonly<Record<Refusal, string>> = {
  malformed_offer: "its offer makes no sense",
  wrong_target: "it is for other hardware",
  not_newer: "it is no newer than what runs",
  rollback: "it is older than what the device has run before",
  too_large: "it does not fit into the device's flash",
  unknown_key: "it is signed with a key that the device does not have",
  wrong_algorithm: "it is signed with another algorithm than that of its key",
  invalid_signature: "its signature is not right",
};

const isRefusal = (code: string): code is Refusal => Object.hasOwn(refusals, code);

/**
 * Why an update was refused or failed, for people, from a report's message and code: words, and the
 * code in brackets. Undefined when it says nothing.
 */
export function describeReason({
  code,
  message,
}: {
  readonly code?: string | undefined;
  readonly message?: string | undefined;
}): string | undefined {
  const known = code !== undefined && isRefusal(code) ? refusals[code] : undefined;
  const words = (message || undefined)?.replace(/\.$/, "") ?? known;
  if (words === undefined) return code;
  return code === undefined ? words : `${words} (${code})`;
}
