import type { Clock, GatewayStore } from "@device-gateway/core";
import type { WebhookEndpoint } from "@device-gateway/core/store";
import { followerNameOf } from "./lease.js";
import type { PageReader } from "./read-page.js";
import { senderLimits } from "./sender-limits.js";

/** How far this process has read the log for an endpoint that gets nothing. */
interface Place {
  cursor: number;
  /** What the store has. */
  readonly stored: number;
  readonly storedAt: number;
}

/** What a round of an endpoint left. */
interface FinishedRound {
  /** The place that the store has. */
  readonly cursor: number;
  /** Whether nothing is left to send. */
  readonly isDone: boolean;
  /** How often the store was reset before the round read its place. */
  readonly resets: number;
}

/**
 * Remembers the endpoints of owners that have nothing to send, so that each of them costs one read per round, and no write
 * when the log grows by events that it does not get.
 */
export interface IdleEndpoints {
  /** Reads on for an endpoint. Returns whether it still has nothing to send and needs no round. */
  isIdle(endpoint: WebhookEndpoint): Promise<boolean>;
  /** Returns whether nothing was left to send after the latest round of an endpoint. */
  isCaughtUp(endpoint: WebhookEndpoint): boolean;
  /** Notes a round's place, unless the store was reset since the round began. */
  noteRound(endpoint: WebhookEndpoint, round: FinishedRound): void;
  /** Forgets everything: after a failover, the store may lack events that were read. */
  forget(): void;
  /** Forgets all endpoints but those with these followers. */
  keepOnly(followerNames: ReadonlySet<string>): void;
}

export function createIdleEndpoints({
  store,
  pages,
  clock,
  countResets,
}: {
  readonly store: Pick<GatewayStore, "webhooks">;
  readonly pages: PageReader;
  readonly clock: Clock;
  /** Returns how often the store was reset, as far as this process has noticed. */
  readonly countResets: () => number;
}): IdleEndpoints {
  const places = new Map<string, Place>();
  return {
    async isIdle(endpoint) {
      const place = places.get(followerNameOf(endpoint));
      if (place === undefined) return false;
      const waiting = await store.webhooks.waiting({ endpointId: endpoint.id, limit: 1 });
      if (waiting.length > 0) return false;
      for (let hasMore = true; hasMore; ) {
        const page = await pages.read(endpoint, place.cursor);
        if (page.prunedUpTo > place.cursor || page.events.length > 0) return false;
        place.cursor = page.end;
        hasMore = page.hasMore;
      }
      const { events, ms } = senderLimits.idle;
      const isLate = clock.now() - place.storedAt >= ms && place.cursor > place.stored;
      return place.cursor - place.stored < events && !isLate;
    },
    noteRound(endpoint, { cursor, isDone, resets }) {
      const name = followerNameOf(endpoint);
      // A place from before a failover would skip the new events that took the numbers of lost ones.
      if (!isDone || resets !== countResets()) places.delete(name);
      else places.set(name, { cursor, stored: cursor, storedAt: clock.now() });
    },
    isCaughtUp: (endpoint) => places.has(followerNameOf(endpoint)),
    forget: () => places.clear(),
    keepOnly(followerNames) {
      for (const name of places.keys()) if (!followerNames.has(name)) places.delete(name);
    },
  };
}
