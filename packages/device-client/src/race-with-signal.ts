/**
 * Waits for work that cannot be cancelled. Returns null if the signal aborts first. A promise of its own for each call,
 * because `Promise.race` keeps its result in memory as long as any of its promises is pending.
 */
export async function raceWithSignal<Value>(
  work: PromiseLike<Value>,
  signal: AbortSignal | undefined,
): Promise<Value | null> {
  let stop = () => {};
  const stopped = new Promise<null>((resolve) => {
    stop = () => resolve(null);
  });
  if (signal?.aborted) stop();
  signal?.addEventListener("abort", stop);
  try {
    return await Promise.race([work, stopped]);
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}
