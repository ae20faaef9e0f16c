import type { BetterAuthOptions } from "better-auth";

export type RateLimitStorage = NonNullable<
  NonNullable<BetterAuthOptions["rateLimit"]>["customStorage"]
>;

interface Requests {
  readonly count: number;
  /** When the latest allowed request came, in epoch milliseconds. */
  readonly at: number;
}

/** The most clients that are kept for each length of a window. The least recent ones are forgotten first. */
const mostKept = 100_000;

/**
 * Creates the storage of one server's rate limits. A client may send `max` requests until it has sent none for a whole
 * window. better-auth's own storage belongs to all servers of a process, and each request searches all of it.
 */
export function createRateLimitStorage(now: () => number = Date.now): RateLimitStorage {
  /** By length of the window in seconds. Each map has the least recent client first. */
  const windows = new Map<number, Map<string, Requests>>();
  return {
    async consume(key, { window, max }) {
      const at = now();
      const clients = windows.get(window) ?? new Map<string, Requests>();
      windows.set(window, clients);
      // A time in the future is from before the clock was set back.
      const isOver = (requests: Requests) => at - requests.at >= window * 1_000 || requests.at > at;
      for (const [client, requests] of clients) {
        if (!isOver(requests) && clients.size <= mostKept) break;
        clients.delete(client);
      }
      const earlier = clients.get(key);
      const { count } = earlier === undefined || isOver(earlier) ? { count: 0 } : earlier;
      if (earlier !== undefined && count >= max) {
        return { allowed: false, retryAfter: Math.ceil((earlier.at - at) / 1_000 + window) };
      }
      clients.delete(key);
      clients.set(key, { count: count + 1, at });
      return { allowed: true, retryAfter: null };
    },
  };
}
