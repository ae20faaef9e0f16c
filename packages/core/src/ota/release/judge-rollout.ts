/** Devices whose update to a release ended, since it was last activated after a halt. */
export interface RolloutTally {
  /** Counts the halts: what devices did before one is not counted after it. */
  readonly round: number;
  readonly succeeded: number;
  readonly failed: number;
}

export const newTally: RolloutTally = { round: 1, succeeded: 0, failed: 0 };

/** A release this many times likelier to fail (in odds) is what the test looks for. */
const oddsRatio = 3;
/** How much likelier that must be than a release that fails as often as is tolerated. */
const certainty = Math.log(100);

/**
 * Whether a rollout fails beyond doubt more often than is tolerated (`tolerated`, a share above 0 and
 * below 1): Wald's sequential probability ratio test. However often it is asked, it halts a release
 * that fails no oftener than that in at most one of 100 rollouts; one that always fails, after five.
 */
export function failsTooOften({ succeeded, failed }: RolloutTally, tolerated: number): boolean {
  const finished = succeeded + failed;
  const evidence =
    failed * Math.log(oddsRatio) - finished * Math.log(1 + tolerated * (oddsRatio - 1));
  return evidence >= certainty;
}
