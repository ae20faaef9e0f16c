import type { OtaHistoryEvent } from "@device-gateway/core/contract";

/**
 * Keeps the latest event of each step. Devices report a step several times, and more than one source reports it. Events
 * come newest first.
 */
export const keepLatestPerStep = (events: readonly OtaHistoryEvent[]): readonly OtaHistoryEvent[] =>
  events.filter((event, i) => {
    const next = events[i - 1];
    return !next || next.state !== event.state || next.offeredVersion !== event.offeredVersion;
  });
