import type { Label } from "../connect/read-label.js";
import type { FirstContactAnswer } from "../site-answer.js";
import { fetchInTime } from "./fetch-in-time.js";

/**
 * Asks the server whether a device has registered with this code. If so, it belongs to the user. Undefined if the
 * server does not answer or fails.
 */
export async function waitForDevice(
  label: Label,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  const response = await fetchInTime("/api/site/first-contact", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(label),
    signal,
  }).catch(() => undefined);
  if (!response?.ok) return response && response.status < 500 ? false : undefined;
  return ((await response.json()) as FirstContactAnswer).claimed;
}
