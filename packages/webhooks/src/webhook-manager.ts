import { randomUUID } from "node:crypto";
import { type GatewayStore, systemClock } from "@device-gateway/core";
import {
  activityKinds,
  auditKinds,
  type SecurityEvent,
  type SecurityEventKind,
  type WebhookAttempt,
  type WebhookDelivery,
  type WebhookEndpoint,
  type WebhookFilter,
} from "@device-gateway/core/store";
import { labelOf, parseEndpointUrl } from "./endpoint-url.js";
import { findEventBefore } from "./find-event-before.js";
import { toTestMessage } from "./message.js";
import { followerNameOf } from "./run-round.js";
import { createSeal } from "./seal.js";
import { senderLimits } from "./sender-limits.js";
import type { WebhookOptions } from "./start-webhooks.js";
import { createWebhookSecret } from "./webhook-secret.js";

/** Endpoints of one gateway, and entries of one list of a filter. */
const limits = { endpoints: 20, filterEntries: 100, entryLength: 256 };
/** How long a former secret signs beside the new one. */
const rotationMs = 86_400_000;

/** An endpoint for people: without its secrets, and without credentials in its URL. */
export type WebhookView = Omit<
  WebhookEndpoint,
  "label" | "sealed" | "revision" | "generation" | "startAfter"
> & { readonly url: string };

/** An input was refused. The message says what to send. */
export interface InvalidWebhook {
  readonly kind: "invalid";
  readonly message: string;
}

export interface WebhookChanges {
  readonly url?: string;
  readonly filter?: Partial<WebhookFilter>;
  readonly enabled?: boolean;
}

export interface WebhookDeliveries {
  /** The latest first. */
  readonly attempts: readonly WebhookAttempt[];
  readonly waiting: readonly WebhookDelivery[];
  /** Messages that were given up. */
  readonly dead: readonly WebhookDelivery[];
}

/** Manages endpoints for operators. `actor` is the operator's id, for the audit trail. */
export interface WebhookManager {
  list(): Promise<readonly WebhookView[]>;
  /**
   * Creates an endpoint that gets events from now on. The secret is never shown again. Returns `full` if there are 20.
   */
  create(input: {
    url: string;
    filter?: Partial<WebhookFilter>;
    actor: string;
  }): Promise<
    | { readonly kind: "created"; readonly endpoint: WebhookView; readonly secret: string }
    | { readonly kind: "full" }
    | InvalidWebhook
  >;
  /** Changes an endpoint. A filter replaces the whole former one. */
  change(
    input: { id: string; actor: string } & WebhookChanges,
  ): Promise<
    | { readonly kind: "changed"; readonly endpoint: WebhookView }
    | { readonly kind: "unknown" }
    | InvalidWebhook
  >;
  /** Replaces the secret. For one day, messages are signed with both. */
  rotateSecret(input: {
    id: string;
    actor: string;
  }): Promise<{ readonly kind: "rotated"; readonly secret: string } | { readonly kind: "unknown" }>;
  remove(input: {
    id: string;
    actor: string;
  }): Promise<{ readonly kind: "removed" } | { readonly kind: "unknown" }>;
  /** Sends a message of the type `webhook.test`, once. Its attempt appears in the history. */
  test(input: {
    id: string;
  }): Promise<{ readonly kind: "sent"; readonly messageId: string } | { readonly kind: "unknown" }>;
  /** Sends all events since a time (epoch milliseconds) again, with the message ids that they had. */
  replay(input: {
    id: string;
    from: number;
    actor: string;
  }): Promise<{ readonly kind: "replaying" } | { readonly kind: "unknown" }>;
  /** Sends the dead letters again. Returns how many. */
  retryDead(input: { id: string }): Promise<number>;
  /** Returns the history of an endpoint, or null if it does not exist. */
  read(id: string): Promise<WebhookDeliveries | null>;
}

const kinds: readonly string[] = [...auditKinds, ...activityKinds];
const noFilter: WebhookFilter = { kinds: [], deviceIds: [], targetHardware: [], ownerIds: [] };

/** Returns the filter, or what is wrong with it. */
function toFilter(input: Partial<WebhookFilter>): WebhookFilter | string {
  const filter = { ...noFilter, ...input };
  const unknown = filter.kinds.find((kind) => !kinds.includes(kind));
  if (unknown !== undefined)
    return `There is no kind "${unknown}". The kinds are ${kinds.join(", ")}.`;
  const { filterEntries, entryLength } = limits;
  const isBounded = Object.values(filter).every(
    (list: readonly string[]) =>
      list.length <= filterEntries &&
      list.every(({ length }) => length > 0 && length <= entryLength),
  );
  return isBounded
    ? filter
    : `Send at most ${filterEntries} entries of 1 to ${entryLength} characters in each list.`;
}

function toView(endpoint: WebhookEndpoint): WebhookView {
  const { label, sealed: _, revision: __, generation: ___, startAfter: ____, ...view } = endpoint;
  return { ...view, url: label };
}

const invalid = (message: string): InvalidWebhook => ({ kind: "invalid", message });

/**
 * Creates the manager of a gateway's endpoints. `startWebhooks` sends to them, in this process or in others.
 *
 * @example
 * const manager = createWebhookManager(store, { secrets });
 * const created = await manager.create({ url: "https://example.com/hook", actor: "olga" });
 */
export function createWebhookManager(
  store: GatewayStore,
  { secrets, allowIntranet = false, clock = systemClock }: WebhookOptions,
): WebhookManager {
  const { webhooks, followers, securityEvents } = store;
  const seal = createSeal(secrets.pepper);

  const toEvent = (
    kind: SecurityEventKind,
    actor: string,
    details: SecurityEvent["details"],
  ): SecurityEvent => ({
    ...{ kind, at: clock.now(), deviceId: "", actor, requestId: null, clientAddress: null },
    details,
  });

  const find = async (id: string) => (await webhooks.list()).find((each) => each.id === id);

  /** Changes an endpoint, again if somebody else changed it meanwhile. Returns null if it does not exist. */
  async function replace(
    id: string,
    actor: string,
    change: (before: WebhookEndpoint) => Partial<WebhookEndpoint>,
  ): Promise<WebhookEndpoint | null> {
    for (;;) {
      const before = await find(id);
      if (before === undefined) return null;
      const changes = change(before);
      const endpoint = { ...before, ...changes };
      const details = { endpointId: id, url: endpoint.label, changed: Object.keys(changes) };
      const event = toEvent("webhook.changed", actor, details);
      const expectedRevision = before.revision;
      const { kind } = await webhooks.replace({ endpoint, expectedRevision, event });
      if (kind === "unknown") return null;
      if (kind === "replaced") return endpoint;
    }
  }

  const nothing = { attempts: [], waiting: [], dead: [], arrived: [], events: [] };
  const { keep } = senderLimits;

  return {
    list: async () => (await webhooks.list()).map(toView),

    async create({ url, filter: wanted = {}, actor }) {
      const parsed = parseEndpointUrl(url, allowIntranet);
      if (typeof parsed === "string") return invalid(parsed);
      const filter = toFilter(wanted);
      if (typeof filter === "string") return invalid(filter);
      const id = randomUUID();
      const secret = createWebhookSecret();
      const [newest] = await securityEvents.newest({ before: Number.MAX_SAFE_INTEGER, limit: 1 });
      const endpoint: WebhookEndpoint = {
        ...{ id, revision: 1, label: labelOf(parsed), filter, enabled: true },
        sealed: seal.close(id, { url: parsed.href, secrets: [{ value: secret, until: null }] }),
        ...{ disabledReason: null, createdAt: clock.now(), failingSince: null },
        ...{ startAfter: newest?.id ?? 0, generation: 0 },
      };
      const event = toEvent("webhook.created", actor, { endpointId: id, url: endpoint.label });
      const { kind } = await webhooks.create({ endpoint, limit: limits.endpoints, event });
      return kind === "full" ? { kind } : { kind, endpoint: toView(endpoint), secret };
    },

    async change({ id, actor, url, filter: wanted, enabled }) {
      const parsed = url === undefined ? undefined : parseEndpointUrl(url, allowIntranet);
      if (typeof parsed === "string") return invalid(parsed);
      const filter = wanted && toFilter(wanted);
      if (typeof filter === "string") return invalid(filter);
      const changed = await replace(id, actor, ({ sealed }) => ({
        ...(parsed && {
          label: labelOf(parsed),
          sealed: seal.close(id, { ...seal.open(id, sealed), url: parsed.href }),
        }),
        ...(filter && { filter }),
        ...(enabled !== undefined && { enabled, disabledReason: null }),
      }));
      if (changed === null) return { kind: "unknown" };
      // An enabled endpoint is given five days again.
      if (enabled === true) {
        await webhooks.record({ endpointId: id, ...nothing, failingSince: null, keep });
      }
      return { kind: "changed", endpoint: toView(changed) };
    },

    async rotateSecret({ id, actor }) {
      const secret = createWebhookSecret();
      const rotated = await replace(id, actor, ({ sealed }) => {
        const { url, secrets: before } = seal.open(id, sealed);
        const current = before.find(({ until }) => until === null);
        const former = current ? [{ ...current, until: clock.now() + rotationMs }] : [];
        return {
          sealed: seal.close(id, { url, secrets: [{ value: secret, until: null }, ...former] }),
        };
      });
      return rotated === null ? { kind: "unknown" } : { kind: "rotated", secret };
    },

    async remove({ id, actor }) {
      const endpoint = await find(id);
      if (endpoint === undefined) return { kind: "unknown" };
      const event = toEvent("webhook.removed", actor, { endpointId: id, url: endpoint.label });
      const removed = await webhooks.remove({ id, event });
      await followers.remove(followerNameOf(endpoint));
      return removed;
    },

    async test({ id }) {
      if ((await find(id)) === undefined) return { kind: "unknown" };
      const message = toTestMessage(randomUUID(), clock.now());
      await webhooks.record({ endpointId: id, ...nothing, waiting: [message], keep });
      return { kind: "sent", messageId: message.messageId };
    },

    async replay({ id, from, actor }) {
      const startAfter = await findEventBefore(securityEvents, from);
      let former = "";
      const replaced = await replace(id, actor, (endpoint) => {
        former = followerNameOf(endpoint);
        return { startAfter, generation: endpoint.generation + 1 };
      });
      if (replaced === null) return { kind: "unknown" };
      await followers.remove(former);
      return { kind: "replaying" };
    },

    async retryDead({ id }) {
      const dead = await webhooks.dead({ endpointId: id, limit: senderLimits.keep.dead });
      const now = clock.now();
      const waiting = dead.map((each) => ({ ...each, since: now, attempts: 0, dueAt: now }));
      if (waiting.length > 0) await webhooks.record({ endpointId: id, ...nothing, waiting, keep });
      return waiting.length;
    },

    async read(id) {
      if ((await find(id)) === undefined) return null;
      const page = { endpointId: id, limit: 500 };
      return {
        attempts: await webhooks.attempts(page),
        waiting: await webhooks.waiting(page),
        dead: await webhooks.dead(page),
      };
    },
  };
}
