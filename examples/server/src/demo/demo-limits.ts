import type { Limits } from "@device-gateway/core";

/**
 * Limits that are raised while the demo runs. The demo gateway replays 79 days of readings at once, and sends them before
 * anybody has claimed it.
 */
export const demoLimits = {
  metricsPerMinute: 1_000_000,
  telemetryBytesPerMinute: 0,
  unclaimedBytesPerMinute: 0,
} as const satisfies Partial<Limits>;
