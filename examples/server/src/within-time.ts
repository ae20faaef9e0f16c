import { setTimeout } from "node:timers/promises";

/** Waits for work, but at most `ms`. Work that hangs is abandoned; no acknowledged data depends on it. */
export async function withinTime(ms: number, work: () => Promise<void>): Promise<void> {
  const ending = new AbortController();
  const timeout = setTimeout(ms, undefined, { signal: ending.signal }).catch(() => {});
  await Promise.race([work(), timeout]).finally(() => ending.abort());
}
