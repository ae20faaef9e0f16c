import { setTimeout as wait } from "node:timers/promises";

/** Schedules requests: `burst` at once, then `perSecond`, up to `count`. */
export function createPace(
  { perSecond, count, burst }: { perSecond: number | null; count: number | null; burst: number },
  isStopped: () => boolean,
) {
  const startedAt = performance.now();
  let taken = 0;
  return {
    /** Resolves with the next request's number when it is due, or with null after the last. */
    async next(): Promise<number | null> {
      if (isStopped() || (count !== null && taken >= count)) return null;
      const number = taken++;
      if (perSecond === null || number < burst) return number;
      const due = startedAt + ((number - burst) * 1_000) / perSecond;
      const left = due - performance.now();
      if (left > 1) await wait(left);
      return isStopped() ? null : number;
    },
  };
}
export type Pace = ReturnType<typeof createPace>;
