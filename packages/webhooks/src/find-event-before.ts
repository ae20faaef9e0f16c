import type { SecurityEventStore } from "@device-gateway/core/store";

/**
 * Returns the id of the last event before a time, or 0. Events are stored almost in the order of their times, so a
 * binary search over the ids finds it with some dozen reads, whatever the length of the log.
 */
export async function findEventBefore(
  events: Pick<SecurityEventStore, "list" | "newest">,
  time: number,
): Promise<number> {
  const [newest] = await events.newest({ before: Number.MAX_SAFE_INTEGER, limit: 1 });
  let low = 0;
  let high = newest?.id ?? 0;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [next] = await events.list({ after: middle, limit: 1 });
    if (next === undefined || next.at >= time) high = middle;
    else low = next.id;
  }
  return low;
}
