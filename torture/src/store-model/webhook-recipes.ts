import type {
  WebhookAttempt,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookStore,
} from "@device-gateway/core/store";
import fc from "fast-check";
import { at, eventOf, freeText, limits, part } from "./pools.js";
import { drafted, type RecipesOf, type Side } from "./recipe.js";

const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 6 }), { maxLength: 3 });

const endpointOf = (id: string, label: string, { now }: Side): WebhookEndpoint => ({
  ...{
    id,
    ownerId: null,
    label,
    revision: 1,
    sealed: "sealed",
    enabled: label !== "",
    disabledReason: null,
  },
  filter: { kinds: [], deviceIds: [label], targetHardware: [], ownerIds: [] },
  ...{ createdAt: now, failingSince: null, startAfter: 0, generation: 0 },
});
const deliveryOf = (n: number, body: string, { now }: Side): WebhookDelivery => ({
  ...{ messageId: `evt_${n}`, eventId: n, queue: "gw-1", body },
  ...{ since: now, attempts: n, dueAt: now + n },
});
const attemptOf = (n: number, response: string, { now }: Side): WebhookAttempt => ({
  ...{ messageId: `evt_${n}`, at: now, durationMs: n, status: n, error: null, response },
});

/** Picks an endpoint at a relative place. */
const idAt = ({ state }: Side, share: number) => at([...state.webhooks.keys()], share) ?? "none";

const page = {
  drafts: drafted(fc.record({ share: part, limit: limits }), ({ share, limit }, side) => ({
    endpointId: idAt(side, share),
    limit,
  })),
};

export const webhookRecipes: RecipesOf<WebhookStore> = {
  list: { drafts: drafted(fc.constant(undefined), () => undefined) },
  create: {
    drafts: drafted(
      fc.record({ label: freeText, ownerId: fc.constantFrom(null, "alice") }),
      ({ label, ownerId }, side) => ({
        endpoint: { ...endpointOf(`endpoint-${side.now}`, label, side), ownerId },
        ...{ limit: 3, total: 4 },
        event: eventOf(side, "", "webhook.created"),
      }),
    ),
  },
  replace: {
    drafts: drafted(
      fc.record({ share: part, label: freeText, staleBy: fc.constantFrom(0, 0, 0, 1) }),
      ({ share, label, staleBy }, side) => {
        const id = idAt(side, share);
        const stored = side.state.webhooks.get(id)?.endpoint ?? endpointOf(id, label, side);
        return {
          endpoint: { ...stored, label },
          expectedRevision: stored.revision - staleBy,
          event: eventOf(side, "", "webhook.changed"),
        };
      },
    ),
  },
  remove: {
    drafts: drafted(part, (share, side) => ({
      id: idAt(side, share),
      event: eventOf(side, "", "webhook.removed"),
    })),
  },
  record: {
    drafts: drafted(
      fc.record({
        share: part,
        waiting: numbers,
        dead: numbers,
        arrived: numbers,
        attempts: numbers,
        text: freeText,
        failing: fc.constantFrom(true, false, null),
      }),
      ({ share, text, failing, ...parts }, side) => ({
        endpointId: idAt(side, share),
        waiting: parts.waiting.map((n) => deliveryOf(n, text, side)),
        dead: parts.dead.map((n) => deliveryOf(n, text, side)),
        arrived: parts.arrived.map((n) => `evt_${n}`),
        attempts: parts.attempts.map((n) => attemptOf(n, text, side)),
        ...(failing !== null && { failingSince: failing ? side.now : null }),
        events: parts.dead.map(() => eventOf(side, "", "webhook.dead_lettered")),
        keep: { attempts: 4, dead: 3 },
      }),
    ),
  },
  waiting: page,
  dead: page,
  attempts: page,
};
