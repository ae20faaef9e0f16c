import type { Limits } from "../../limits.js";
import { hourMs, minuteMs } from "../../shared/durations.js";

/** The rules that protect the fleet from a faulty update (§6, decision 13). */
export interface UpdateRules {
  /** Numbers of failures, and of attempts within the window, that block a release on a device. */
  readonly maxFailures: number;
  readonly maxAttempts: number;
  readonly attemptWindowMs: number;
  readonly blockMs: number;
  /** An attempt without a report for this time has failed. */
  readonly timeoutMs: number;
  /** A device that has the whole image and is silent for this time may be broken. */
  readonly silenceMs: number;
  /** Tolerated share of failed updates, 0 to 1. A rollout that exceeds it is halted. */
  readonly toleratedShare: number;
}

export const toUpdateRules = (limits: Limits): UpdateRules => ({
  maxFailures: 3,
  maxAttempts: 5,
  attemptWindowMs: 180_000,
  blockMs: limits.updateBlockHours * hourMs,
  timeoutMs: limits.updateTimeoutHours * hourMs,
  silenceMs: limits.updateSilenceMinutes * minuteMs,
  toleratedShare: limits.rolloutFailurePercent / 100,
});
