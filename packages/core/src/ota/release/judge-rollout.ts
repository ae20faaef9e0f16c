/**
 * Counts devices whose update to a release ended since the release was first activated, or since its last activation
 * after a halt.
 */
export interface RolloutTally {
  /** Number of the round. A halt starts a new round, which does not count what happened before. */
  readonly round: number;
  readonly succeeded: number;
  readonly failed: number;
}

export const newTally: RolloutTally = { round: 1, succeeded: 0, failed: 0 };

/** The failure odds that the test detects, as a multiple of the tolerated odds. */
const oddsRatio = 3;
/** Logarithm of the likelihood ratio at which a rollout is halted. */
const certainty = Math.log(100);

/**
 * Returns whether a rollout fails more often than is tolerated, with statistical certainty (Wald's sequential
 * probability ratio test). `tolerated` is a share above 0 and below 1. Of 100 rollouts whose failure rate is within the
 * tolerance, at most one is halted, however often this is called. With the default tolerance of 2 %, a release that
 * always fails is halted after five updates.
 *
 * @example
 * failsTooOften({ round: 1, succeeded: 0, failed: 4 }, 0.02); // false
 * failsTooOften({ round: 1, succeeded: 0, failed: 5 }, 0.02); // true
 */
export function failsTooOften({ succeeded, failed }: RolloutTally, tolerated: number): boolean {
  const finished = succeeded + failed;
  const evidence =
    failed * Math.log(oddsRatio) - finished * Math.log(1 + tolerated * (oddsRatio - 1));
  return evidence >= certainty;
}
