export interface LongWorkLimits {
  /** Work that a site may do without a rest, in milliseconds. */
  readonly burstMs: number;
  /** Share of the time that the site gets once its burst is used up. */
  readonly share: number;
  /**
   * The most time that is charged for one piece, in milliseconds. On a busy server, the measured time includes the work
   * of other sites.
   */
  readonly maxChargeMs: number;
}

/**
 * Limits the long work of each site, such as history and exports, to a share of the time, with a token bucket of
 * milliseconds of work.
 */
export interface LongWork {
  /** Charges a piece of work to a site. Returns how long its request must wait before the next piece, in milliseconds. */
  charge(site: string, workedMs: number): number;
}

interface Credit {
  readonly ms: number;
  readonly at: number;
}

/** Creates the buckets. Those that are full again are dropped with later charges. */
export function createLongWork(
  { burstMs, share, maxChargeMs }: LongWorkLimits,
  now: () => number,
): LongWork {
  /** Sites with a bucket that may not be full, in the order of their last charge. */
  const credits = new Map<string, Credit>();
  const refillMs = burstMs / share;

  function forgetFull(at: number): void {
    for (const [site, credit] of credits) {
      if (credit.at + refillMs - credit.ms / share > at) return;
      credits.delete(site);
    }
  }

  return {
    charge(site, workedMs) {
      const at = now();
      const last = credits.get(site) ?? { ms: burstMs, at };
      const left = Math.min(burstMs, last.ms + (at - last.at) * share);
      const ms = left - Math.min(workedMs, maxChargeMs);
      credits.delete(site);
      credits.set(site, { ms, at });
      forgetFull(at);
      return Math.max(0, -ms / share);
    },
  };
}
