import { setTimeout as wait } from "node:timers/promises";

/** Milliseconds. Long enough that only a bug, and not a busy machine, makes an attack wait until the end. */
export const patienceMs = 60_000;

/** Waits until all tasks have ended, but at most `patienceMs`. Returns how many have not. Rejects if a task rejects. */
export async function countUnfinished(tasks: readonly Promise<unknown>[]): Promise<number> {
  let unfinished = tasks.length;
  const timer = new AbortController();
  const late = wait(patienceMs, undefined, { signal: timer.signal }).catch(() => {});
  const all = tasks.map((task) =>
    task.then(() => {
      unfinished -= 1;
    }),
  );
  try {
    await Promise.race([Promise.all(all), late]);
    return unfinished;
  } finally {
    timer.abort();
  }
}

/** Waits until a condition holds, but at most `patienceMs`. Returns whether it holds. */
export async function untilTrue(condition: () => boolean): Promise<boolean> {
  const startedAt = performance.now();
  while (!condition() && performance.now() - startedAt < patienceMs) await wait(20);
  return condition();
}

/** Describes loads that gave up. Undefined if none did. */
export const describeUnfinished = (counts: readonly number[]): string | undefined => {
  const sum = counts.reduce((all, count) => all + count, 0);
  return sum === 0
    ? undefined
    : `${sum} connections or devices got no acknowledgement for their last records within ${patienceMs} ms`;
};
