import type { Limits } from "../limits.js";

/** What guards the fleet from an update that goes wrong (contract §6, decision 13). */
export interface UpdateRules {
  /** Failures of a release on a device, and attempts within the window, that block it there. */
  readonly maxFailures: number;
  readonly maxAttempts: number;
  readonly attemptWindowMs: number;
  readonly blockMs: number;
  /** Without news for so long, an attempt that began has failed. */
  readonly timeoutMs: number;
  /** The share of failed updates, 0 to 1, beyond which a rollout is halted. */
  readonly toleratedShare: number;
}

const hourMs = 3_600_000;

export const toUpdateRules = (limits: Limits): UpdateRules => ({
  maxFailures: 3,
  maxAttempts: 5,
  attemptWindowMs: 180_000,
  blockMs: limits.updateBlockHours * hourMs,
  timeoutMs: limits.updateTimeoutHours * hourMs,
  toleratedShare: limits.rolloutFailurePercent / 100,
});
