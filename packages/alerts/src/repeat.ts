/** Waits for `ms` milliseconds, or until the signal aborts. */
const rest = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
  });

/** Repeats work until the signal aborts. The work returns how long to rest after it, in milliseconds. */
export async function repeat(work: () => Promise<number>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const ms = await work();
    if (!signal.aborted) await rest(ms, signal);
  }
}
