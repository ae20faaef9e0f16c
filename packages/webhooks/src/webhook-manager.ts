import { randomUUID } from "node:crypto";
import {
  type GatewayStore,
  type InvalidWebhook,
  systemClock,
  type WebhookChange,
  type WebhookManager,
  type WebhookView,
} from "@device-gateway/core";
import {
  eventKinds,
  ownerEventKinds,
  type SecurityEvent,
  type SecurityEventKind,
  type WebhookDelivery,
  type WebhookEndpoint,
  type WebhookFilter,
} from "@device-gateway/core/store";
import { labelOf, parseEndpointUrl } from "./endpoint-url.js";
import { findEventBefore } from "./find-event-before.js";
import { followerNameOf } from "./lease.js";
import { isTestMessage, toTestMessage } from "./message.js";
import { type Claim, findClaim, mayStillGet } from "./owner-rule.js";
import { createSeal } from "./seal.js";
import { senderLimits } from "./sender-limits.js";
import type { WebhookOptions } from "./start-webhooks.js";
import { createWebhookSecret } from "./webhook-secret.js";

/** Endpoints, entries of one list of a filter, and secrets. */
const limits = {
  ofOperators: 20,
  ofOwner: 5,
  ofAllOwners: 200,
  filterEntries: 100,
  entryLength: 256,
  /** Former secrets that sign in addition to the new one. */
  formerSecrets: 5,
};
/** How long a former secret signs in addition to the new one. */
const rotationMs = 86_400_000;

/** Text that some databases cannot read from JSON. */
const unstorable = /[\0\p{Cs}]/u;

const noFilter: WebhookFilter = { kinds: [], deviceIds: [], targetHardware: [], ownerIds: [] };

const invalid = (path: string, message: string): InvalidWebhook => ({
  kind: "invalid",
  ...{ path, message },
});

/** Returns the filter, or what is wrong with it. */
function toFilter(
  input: Partial<WebhookFilter>,
  ownerId: string | null,
): WebhookFilter | InvalidWebhook {
  const filter = { ...noFilter, ...input };
  const kinds: readonly string[] = ownerId === null ? eventKinds : ownerEventKinds;
  const unknown = filter.kinds.find((kind) => !kinds.includes(kind));
  if (unknown !== undefined) {
    const message = `There is no kind "${unknown}". The kinds are ${kinds.join(", ")}.`;
    return invalid("filter.kinds", message);
  }
  if (ownerId !== null && filter.ownerIds.length > 0) {
    return invalid(
      "filter.ownerIds",
      "Leave it out. Your webhook gets events of your devices only.",
    );
  }
  const { filterEntries, entryLength } = limits;
  const isValid = Object.values(filter).every(
    (list: readonly string[]) =>
      list.length <= filterEntries &&
      list.every(({ length }) => length > 0 && length <= entryLength) &&
      !list.some((entry) => unstorable.test(entry)),
  );
  return isValid
    ? filter
    : invalid(
        "filter",
        `Send at most ${filterEntries} entries of 1 to ${entryLength} characters in each list, without U+0000 or unpaired surrogates.`,
      );
}

function toView(endpoint: WebhookEndpoint): WebhookView {
  const { label, sealed: _, revision: __, generation: ___, startAfter: ____, ...view } = endpoint;
  return { ...view, url: label };
}

/**
 * Creates the manager of a gateway's endpoints. `startWebhooks` sends to them, in this process or in others.
 *
 * @example
 * const manager = createWebhookManager(store, { secrets });
 * const created = await manager.create({ url: "https://example.com/hook", actor: "olga" });
 */
export function createWebhookManager(
  store: GatewayStore,
  { secrets, allowIntranet = false, forOwners = false, clock = systemClock }: WebhookOptions,
): WebhookManager {
  const { webhooks, followers, securityEvents } = store;
  const seal = createSeal(secrets.pepper);

  const toEvent = (
    kind: SecurityEventKind,
    { actor, origin }: Pick<WebhookChange, "actor" | "origin">,
    details: SecurityEvent["details"],
  ): SecurityEvent => ({
    ...{ kind, at: clock.now(), deviceId: "", actor, details },
    ...{ requestId: origin?.requestId ?? null, clientAddress: origin?.clientAddress ?? null },
  });

  const find = async (id: string) => (await webhooks.list()).find((each) => each.id === id);

  /**
   * Changes an endpoint, again if somebody else changed it meanwhile. Returns null if it does not exist. The audit
   * trail gets the names of what `changed`.
   */
  async function replace(
    by: WebhookChange,
    changed: readonly string[],
    change: (before: WebhookEndpoint) => Partial<WebhookEndpoint>,
  ): Promise<WebhookEndpoint | null> {
    const { id } = by;
    for (;;) {
      const before = await find(id);
      if (before === undefined) return null;
      const endpoint = { ...before, ...change(before) };
      const details = { endpointId: id, url: endpoint.label, changed: [...changed] };
      const event = toEvent("webhook.changed", by, details);
      const expectedRevision = before.revision;
      const { kind } = await webhooks.replace({ endpoint, expectedRevision, event });
      if (kind === "unknown") return null;
      if (kind === "replaced") return endpoint;
    }
  }

  /** Returns the messages that the endpoint may still get. An owner gets none about a device that they released. */
  async function chooseAllowed(
    id: string,
    messages: readonly WebhookDelivery[],
  ): Promise<readonly WebhookDelivery[]> {
    const ownerId = (await find(id))?.ownerId ?? null;
    if (ownerId === null) return messages;
    const claims = new Map<string, Promise<Claim | null>>();
    const claimOf = (deviceId: string) => {
      const claim = claims.get(deviceId) ?? findClaim(store, deviceId);
      claims.set(deviceId, claim);
      return claim;
    };
    const allowed: WebhookDelivery[] = [];
    for (const each of messages) {
      if (await mayStillGet(claimOf, ownerId, each)) allowed.push(each);
    }
    return allowed;
  }

  /** Returns the dead letters that fit, so that an endpoint that fails for some of its devices goes on with the others. */
  async function chooseFitting(
    endpointId: string,
    dead: readonly WebhookDelivery[],
  ): Promise<readonly WebhookDelivery[]> {
    const waiting = await webhooks.waiting({ endpointId, limit: senderLimits.waiting });
    const counts = new Map<string, number>();
    const count = ({ queue }: WebhookDelivery) => {
      const next = (counts.get(queue) ?? 0) + 1;
      counts.set(queue, next);
      return next;
    };
    for (const each of waiting) count(each);
    const free = Math.max(0, senderLimits.waiting - 1 - waiting.length);
    return dead.filter((each) => count(each) <= senderLimits.waitingOfQueue).slice(0, free);
  }

  const nothing = { attempts: [], waiting: [], dead: [], arrived: [], events: [] };
  const { keep } = senderLimits;

  return {
    forOwners,
    list: async () => (await webhooks.list()).map(toView),

    async create({ url, filter: wanted = {}, ownerId = null, ...by }) {
      const parsed = parseEndpointUrl(url, allowIntranet);
      if (typeof parsed === "string") return invalid("url", parsed);
      const filter = toFilter(wanted, ownerId);
      if ("kind" in filter) return filter;
      const id = randomUUID();
      const secret = createWebhookSecret();
      const [newest] = await securityEvents.newest({ before: Number.MAX_SAFE_INTEGER, limit: 1 });
      const endpoint: WebhookEndpoint = {
        ...{ id, ownerId, revision: 1, label: labelOf(parsed), filter, enabled: true },
        sealed: seal.close(id, { url: parsed.href, secrets: [{ value: secret, until: null }] }),
        ...{ disabledReason: null, createdAt: clock.now(), failingSince: null },
        ...{ startAfter: newest?.id ?? 0, generation: 0 },
      };
      const event = toEvent("webhook.created", by, { endpointId: id, url: endpoint.label });
      const most =
        ownerId === null
          ? { limit: limits.ofOperators, total: limits.ofOperators + limits.ofAllOwners }
          : { limit: limits.ofOwner, total: limits.ofAllOwners };
      const { kind } = await webhooks.create({ endpoint, ...most, event });
      return kind === "full" ? { kind } : { kind, endpoint: toView(endpoint), secret };
    },

    async change({ url, filter: wanted, enabled, ...by }) {
      const { id } = by;
      const parsed = url === undefined ? undefined : parseEndpointUrl(url, allowIntranet);
      if (typeof parsed === "string") return invalid("url", parsed);
      const known = await find(id);
      if (known === undefined) return { kind: "unknown" };
      const filter = wanted && toFilter(wanted, known.ownerId);
      if (filter && "kind" in filter) return filter;
      const names = Object.entries({ url, filter: wanted, enabled })
        .filter(([, value]) => value !== undefined)
        .map(([name]) => name);
      // An endpoint that is enabled again may fail for another five days before it is disabled. This is recorded first,
      // so that it is never enabled with its earlier failures.
      if (enabled) await webhooks.record({ endpointId: id, ...nothing, failingSince: null, keep });
      const changed = await replace(by, names, ({ sealed }) => ({
        ...(parsed && {
          label: labelOf(parsed),
          sealed: seal.close(id, { ...seal.open(id, sealed), url: parsed.href }),
        }),
        ...(filter && { filter }),
        ...(enabled !== undefined && { enabled, disabledReason: null }),
      }));
      return changed === null
        ? { kind: "unknown" }
        : { kind: "changed", endpoint: toView(changed) };
    },

    async rotateSecret(by) {
      const { id } = by;
      const secret = createWebhookSecret();
      const rotated = await replace(by, ["secret"], ({ sealed }) => {
        const { url, secrets: before } = seal.open(id, sealed);
        const now = clock.now();
        const former = before
          .filter(({ until }) => until === null || now < until)
          .map(({ value, until }) => ({ value, until: until ?? now + rotationMs }))
          .slice(0, limits.formerSecrets);
        return {
          sealed: seal.close(id, { url, secrets: [{ value: secret, until: null }, ...former] }),
        };
      });
      return rotated === null ? { kind: "unknown" } : { kind: "rotated", secret };
    },

    async remove(by) {
      const { id } = by;
      const endpoint = await find(id);
      if (endpoint === undefined) return { kind: "unknown" };
      const event = toEvent("webhook.removed", by, { endpointId: id, url: endpoint.label });
      return webhooks.remove({ id, event });
    },

    async test({ id }) {
      const endpoint = await find(id);
      if (endpoint === undefined) return { kind: "unknown" };
      // Otherwise test messages would gather, because nothing is sent.
      if (!endpoint.enabled) return { kind: "disabled" };
      // Test messages must not accumulate at a failing endpoint either, which gets one message at a time. Messages
      // without an event come first.
      const waiting = await webhooks.waiting({ endpointId: id, limit: 9 });
      const earlier = waiting.find(isTestMessage);
      if (earlier !== undefined) return { kind: "sent", messageId: earlier.messageId };
      const message = toTestMessage(randomUUID(), clock.now());
      await webhooks.record({ endpointId: id, ...nothing, waiting: [message], keep });
      return { kind: "sent", messageId: message.messageId };
    },

    async replay({ from, ...by }) {
      const startAfter = await findEventBefore(securityEvents, from);
      let former = "";
      const replaced = await replace(by, ["startAfter"], (endpoint) => {
        former = followerNameOf(endpoint);
        return { startAfter, generation: endpoint.generation + 1 };
      });
      if (replaced === null) return { kind: "unknown" };
      await followers.remove(former);
      return { kind: "replaying", endpoint: toView(replaced) };
    },

    async retryDead({ id, messageId }) {
      const dead = await webhooks.dead({ endpointId: id, limit: senderLimits.keep.dead });
      const wanted = dead.filter((each) => messageId === undefined || each.messageId === messageId);
      const allowed = await chooseAllowed(id, wanted);
      const arrived = wanted.filter((each) => !allowed.includes(each));
      const chosen = messageId === undefined ? await chooseFitting(id, allowed) : allowed;
      const now = clock.now();
      const waiting = chosen.map((each) => ({ ...each, since: now, attempts: 0, dueAt: now }));
      if (waiting.length + arrived.length > 0) {
        const ended = arrived.map((each) => each.messageId);
        await webhooks.record({ endpointId: id, ...nothing, waiting, arrived: ended, keep });
      }
      return waiting.length;
    },

    attempts: ({ id, limit }) => webhooks.attempts({ endpointId: id, limit }),
    messages: async ({ id, state, limit }) =>
      chooseAllowed(id, await webhooks[state]({ endpointId: id, limit })),
  };
}
