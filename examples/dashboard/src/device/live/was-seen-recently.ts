import type { DeviceSummary } from "@device-gateway/core/contract";

const minOnlineMs = 5 * 60_000;

/**
 * Whether a device that was last seen at `seenAt` (epoch milliseconds) is online, by the API's rule
 * (§7). The page uses it for live records between two responses of the API.
 */
export const wasSeenRecently = (
  { expectedIntervalSeconds }: Pick<DeviceSummary, "expectedIntervalSeconds">,
  seenAt: number,
  now: number,
): boolean => now - seenAt <= Math.max(minOnlineMs, 3 * expectedIntervalSeconds * 1000);
