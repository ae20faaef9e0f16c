import {
  compareBytes,
  toFollowerPrefix,
  type WebhookDelivery,
  type WebhookStore,
} from "@device-gateway/core/store";
import { type MemoryState, type Transitions, type Webhook, writeEvent } from "./memory-state.js";

const inOrder = (deliveries: Iterable<WebhookDelivery>) =>
  [...deliveries].sort((a, b) => a.eventId - b.eventId || compareBytes(a.messageId, b.messageId));

export function createMemoryWebhooks(state: MemoryState): Transitions<WebhookStore> {
  const page = (endpointId: string, part: "waiting" | "dead", limit: number) =>
    inOrder(state.webhooks.get(endpointId)?.[part].values() ?? []).slice(0, limit);
  return {
    list: () =>
      [...state.webhooks.values()]
        .map(({ endpoint }) => endpoint)
        .sort((a, b) => a.createdAt - b.createdAt || compareBytes(a.id, b.id)),

    create({ endpoint, limit, total, event }) {
      const { ownerId } = endpoint;
      const all = [...state.webhooks.values()];
      const theirs = all.filter((each) => each.endpoint.ownerId === ownerId);
      if (theirs.length >= limit || all.length >= total) return { kind: "full" };
      const nothing = { waiting: new Map(), dead: new Map(), attempts: [] };
      state.webhooks.set(endpoint.id, { endpoint, ...nothing });
      writeEvent(state, event);
      return { kind: "created" };
    },

    replace({ endpoint, expectedRevision, event }) {
      const stored = state.webhooks.get(endpoint.id);
      if (stored === undefined) return { kind: "unknown" };
      if (stored.endpoint.revision !== expectedRevision) return { kind: "conflict" };
      const { failingSince } = stored.endpoint;
      const next = { ...endpoint, failingSince, revision: expectedRevision + 1 };
      state.webhooks.set(endpoint.id, { ...stored, endpoint: next });
      writeEvent(state, event);
      return { kind: "replaced" };
    },

    remove({ id, event }) {
      if (!state.webhooks.delete(id)) return { kind: "unknown" };
      const prefix = toFollowerPrefix(id);
      for (const name of [...state.followers.keys()]) {
        if (name.startsWith(prefix)) state.followers.delete(name);
      }
      writeEvent(state, event);
      return { kind: "removed" };
    },

    record(done) {
      const stored = state.webhooks.get(done.endpointId);
      if (stored === undefined) return;
      const waiting = new Map(stored.waiting);
      const dead = new Map(stored.dead);
      for (const delivery of done.waiting) {
        dead.delete(delivery.messageId);
        waiting.set(delivery.messageId, delivery);
      }
      for (const delivery of done.dead) {
        waiting.delete(delivery.messageId);
        dead.set(delivery.messageId, delivery);
      }
      for (const messageId of done.arrived) {
        waiting.delete(messageId);
        dead.delete(messageId);
      }
      const surplus = done.dead.length > 0 ? Math.max(0, dead.size - done.keep.dead) : 0;
      const tooMany = inOrder(dead.values()).slice(0, surplus);
      for (const { messageId } of tooMany) dead.delete(messageId);
      const attempts = [...stored.attempts, ...done.attempts];
      const { failingSince = stored.endpoint.failingSince } = done;
      const next: Webhook = {
        endpoint: { ...stored.endpoint, failingSince },
        ...{ waiting, dead },
        attempts: attempts.slice(Math.max(0, attempts.length - done.keep.attempts)),
      };
      state.webhooks.set(done.endpointId, next);
      for (const event of done.events) writeEvent(state, event);
    },

    waiting: ({ endpointId, limit }) => page(endpointId, "waiting", limit),
    dead: ({ endpointId, limit }) => page(endpointId, "dead", limit),
    attempts: ({ endpointId, limit }) =>
      (state.webhooks.get(endpointId)?.attempts ?? []).toReversed().slice(0, limit),
  };
}
