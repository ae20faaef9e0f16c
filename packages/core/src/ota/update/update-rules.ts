import type { Limits } from "../../limits.js";

/** What guards the fleet from an update that goes wrong (contract §6, decision 13). */
export interface UpdateRules {
  /** Failures of a release on a device, and attempts within the window, that block it there. */
  readonly maxFailures: number;
  readonly maxAttempts: number;
  readonly attemptWindowMs: number;
  readonly blockMs: number;
  /** Without news of it for so long, an attempt that began has failed. */
  readonly timeoutMs: number;
  /** A device with the whole image of which nothing at all is heard for so long may be a brick. */
  readonly silenceMs: number;
  /** The share of failed updates, 0 to 1, beyond which a rollout is halted. */
  readonly toleratedShare: number;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

export const toUpdateRules = (limits: Limits): UpdateRules => ({
  maxFailures: 3,
  maxAttempts: 5,
  attemptWindowMs: 180_000,
  blockMs: limits.updateBlockHours * hourMs,
  timeoutMs: limits.updateTimeoutHours * hourMs,
  silenceMs: limits.updateSilenceMinutes * minuteMs,
  toleratedShare: limits.rolloutFailurePercent / 100,
});
