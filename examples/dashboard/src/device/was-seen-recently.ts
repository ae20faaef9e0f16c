import type { DeviceSummary } from "@device-gateway/core/contract";

const minOnlineMs = 5 * 60_000;

/**
 * Whether what was seen of a device at `seenAt` (epoch milliseconds) makes it online now, by the
 * rule of the API (contract §7): for what comes in live, between two answers of the API.
 */
export const wasSeenRecently = (
  { expectedIntervalSeconds }: Pick<DeviceSummary, "expectedIntervalSeconds">,
  seenAt: number,
  now: number,
): boolean => now - seenAt <= Math.max(minOnlineMs, 3 * expectedIntervalSeconds * 1000);
