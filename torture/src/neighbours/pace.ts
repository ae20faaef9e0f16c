import { setTimeout as wait } from "node:timers/promises";

/** Hands out turns: a burst at once, then so many a second, until there are no more. */
export function createPace(
  { perSecond, count, burst }: { perSecond: number | null; count: number | null; burst: number },
  isStopped: () => boolean,
) {
  const startedAt = performance.now();
  let taken = 0;
  return {
    /** Resolves with the number of the turn when it is due; with null when there is none. */
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
