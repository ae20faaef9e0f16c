import { mostAheadMs, type SecurityEventStore } from "@device-gateway/core/store";

/**
 * Returns the id of an event, or 0. All events since a time have higher ids, and so have some from up to 15 minutes
 * before it. Events are stored almost in the order of their times: the clocks of the servers that write them may differ.
 * So a binary search over the ids finds the place with some dozen reads, whatever the length of the log. The events that
 * a store of cells imports after an outage are not in this order: pass a time before the outage to get them all.
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
    if (next === undefined || next.at >= time - mostAheadMs) high = middle;
    else low = next.id;
  }
  return low;
}
