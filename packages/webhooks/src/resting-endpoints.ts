import type { Clock, GatewayStore } from "@device-gateway/core";
import type { WebhookEndpoint } from "@device-gateway/core/store";
import { isTestMessage } from "./message.js";
import { senderLimits } from "./sender-limits.js";

/**
 * Remembers the failing endpoints that have nothing to try for a while, so that a round each second does not read all of
 * their messages.
 */
export interface RestingEndpoints {
  /** Returns whether an endpoint has nothing to try yet. A change of the endpoint or a test message ends its rest. */
  isResting(endpoint: WebhookEndpoint): Promise<boolean>;
  /** Notes until when a failing endpoint has nothing to try (epoch milliseconds). */
  note(endpoint: WebhookEndpoint, until: number): void;
  /** Forgets all endpoints but these. */
  keepOnly(endpointIds: ReadonlySet<string>): void;
}

export function createRestingEndpoints(
  { webhooks }: Pick<GatewayStore, "webhooks">,
  clock: Clock,
): RestingEndpoints {
  const { restMs } = senderLimits;
  const rests = new Map<string, { readonly revision: number; readonly until: number }>();
  return {
    async isResting({ id, revision }) {
      const rest = rests.get(id);
      const leftMs = (rest?.until ?? 0) - clock.now();
      // If the clock was set back, more time seems to be left than a rest lasts.
      if (rest?.revision !== revision || leftMs <= 0 || leftMs > restMs) return false;
      // Test messages come first.
      const [first] = await webhooks.waiting({ endpointId: id, limit: 1 });
      return first !== undefined && !isTestMessage(first);
    },
    note: ({ id, revision }, until) => void rests.set(id, { revision, until }),
    keepOnly(endpointIds) {
      for (const id of rests.keys()) if (!endpointIds.has(id)) rests.delete(id);
    },
  };
}
