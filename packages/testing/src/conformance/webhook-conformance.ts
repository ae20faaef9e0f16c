import {
  type GatewayStore,
  toFollowerPrefix,
  type WebhookAttempt,
  type WebhookDelivery,
  type WebhookEndpoint,
  type WebhookRecord,
} from "@device-gateway/core/store";
import { expect } from "vitest";
import { awkwardText } from "./samples/awkward-values.js";
import { sampleSecurityEvent, sampleTime } from "./samples/samples.js";
import { onlyIndexOf, race, type StoreCase, toCase, toRace } from "./samples/store-case.js";

const endpointId = "endpoint-1";
const event = sampleSecurityEvent("", "webhook.changed");

const sampleEndpoint = (changes: Partial<WebhookEndpoint> = {}): WebhookEndpoint => ({
  id: endpointId,
  ownerId: "alice",
  revision: 1,
  label: `https://example.com/${awkwardText}`,
  sealed: "sealed",
  filter: { kinds: ["device.claimed"], deviceIds: [], targetHardware: ["gw-2"], ownerIds: [] },
  enabled: true,
  disabledReason: null,
  createdAt: sampleTime,
  failingSince: null,
  startAfter: 7,
  generation: 0,
  ...changes,
});
const sampleDelivery = (n: number, changes: Partial<WebhookDelivery> = {}): WebhookDelivery => ({
  messageId: `evt_${n}`,
  eventId: n,
  queue: `gw-${n}`,
  body: JSON.stringify({ text: awkwardText }),
  since: sampleTime,
  attempts: 1,
  dueAt: sampleTime + n,
  ...changes,
});
const sampleAttempt = (n: number): WebhookAttempt => ({
  messageId: `evt_${n}`,
  at: sampleTime + n,
  durationMs: n,
  status: n % 2 ? 500 : null,
  error: n % 2 ? null : awkwardText,
  response: awkwardText,
});

const create = (store: GatewayStore, endpoint = sampleEndpoint(), limit = 9, total = 9) =>
  store.webhooks.create({ endpoint, limit, total, event: { ...event, kind: "webhook.created" } });
const record = (store: GatewayStore, changes: Partial<WebhookRecord>) =>
  store.webhooks.record({
    ...{ endpointId, attempts: [], waiting: [], dead: [], arrived: [] },
    ...{ events: [], keep: { attempts: 3, dead: 2 } },
    ...changes,
  });
const page = { endpointId, limit: 99 };
const kindsIn = async (store: GatewayStore) =>
  (await store.securityEvents.list({ after: 0, limit: 99 })).map(({ kind }) => kind);

const endpoints: readonly StoreCase[] = [
  toCase(
    "webhooks: endpoints are listed as created, the oldest first, up to a number",
    async ([a, b]) => {
      const [second, first] = [
        sampleEndpoint(),
        sampleEndpoint({ id: "endpoint-2", createdAt: sampleTime - 1, failingSince: 5 }),
      ];
      expect(await create(a, second, 2)).toEqual({ kind: "created" });
      expect(await create(b, first, 2)).toEqual({ kind: "created" });
      expect(await create(a, sampleEndpoint({ id: "endpoint-3" }), 2)).toEqual({ kind: "full" });
      expect(await b.webhooks.list()).toEqual([first, second]);
      expect(await kindsIn(a)).toEqual(["webhook.created", "webhook.created"]);
    },
  ),

  toCase(
    "webhooks: an endpoint is replaced at its revision, and not since when it fails",
    async ([a, b]) => {
      const replace = (expectedRevision: number, changes: Partial<WebhookEndpoint> = {}) =>
        b.webhooks.replace({ endpoint: sampleEndpoint(changes), expectedRevision, event });
      expect(await replace(1)).toEqual({ kind: "unknown" });
      await create(a);
      await record(a, { failingSince: 5 });
      expect(await replace(2)).toEqual({ kind: "conflict" });
      expect(await replace(1, { enabled: false, failingSince: 9 })).toEqual({ kind: "replaced" });
      const changed = sampleEndpoint({ enabled: false, failingSince: 5, revision: 2 });
      expect(await a.webhooks.list()).toEqual([changed]);
      expect(await kindsIn(a)).toEqual(["webhook.created", "webhook.changed"]);
    },
  ),

  toCase(
    "webhooks: a removed endpoint leaves nothing, and nothing is recorded for it",
    async ([a, b]) => {
      await create(a);
      const parts = { waiting: [sampleDelivery(1)], dead: [sampleDelivery(2)] };
      await record(a, { ...parts, attempts: [sampleAttempt(1)] });
      const take = (name: string) =>
        b.followers.take({ name, holder: "holder", at: sampleTime, until: sampleTime + 1 });
      const prefix = toFollowerPrefix(endpointId);
      const followers = [`${prefix}0`, `${prefix}1`, `webhook:${endpointId}0:0`, "webhook"];
      for (const name of followers) {
        await take(name);
        await b.followers.advance({ name, holder: "holder", cursor: "7" });
      }
      const remove = () =>
        b.webhooks.remove({ id: endpointId, event: { ...event, kind: "webhook.removed" } });
      expect(await remove()).toEqual({ kind: "removed" });
      expect(await remove()).toEqual({ kind: "unknown" });
      const cursors: unknown[] = [];
      for (const name of followers) cursors.push((await take(name))?.cursor);
      expect(cursors).toEqual(["", "", "7", "7"]);
      await record(a, { ...parts, attempts: [sampleAttempt(1)], events: [event] });
      await create(b);
      for (const list of ["waiting", "dead", "attempts"] as const) {
        expect(await a.webhooks[list](page)).toEqual([]);
      }
      expect(await kindsIn(a)).toEqual(["webhook.created", "webhook.removed", "webhook.created"]);
    },
  ),

  toCase(
    "webhooks: each owner and the operators have a limit of their own, and all endpoints have one",
    async ([a, b]) => {
      const add = (id: string, ownerId: string | null) =>
        create(a, sampleEndpoint({ id, ownerId }), 2, 5);
      const full = { kind: "full" };
      const created = { kind: "created" };
      expect(await add("a-1", "alice")).toEqual(created);
      expect(await add("a-2", "alice")).toEqual(created);
      expect(await add("a-3", "alice")).toEqual(full);
      expect(await add("o-1", null)).toEqual(created);
      expect(await add("o-2", null)).toEqual(created);
      expect(await add("o-3", null)).toEqual(full);
      expect(await add("b-1", awkwardText)).toEqual(created);
      expect(await add("b-2", awkwardText), "five in all").toEqual(full);
      expect((await b.webhooks.list()).map(({ ownerId }) => ownerId).sort()).toEqual(
        ["alice", "alice", null, null, awkwardText].sort(),
      );
    },
  ),

  toRace("webhooks: racers create no more endpoints than the limit", async (handles) => {
    for (let round = 1; round <= 4; round++) {
      const outcomes = await race(handles, 16, (store, racer) =>
        create(store, sampleEndpoint({ id: `endpoint-${round}-${racer}` }), round),
      );
      expect(onlyIndexOf(outcomes, "created")).not.toBe(-1);
    }
  }),

  toRace("webhooks: exactly one of many racers replaces an endpoint", async (handles) => {
    await create(handles[0]);
    for (let round = 1; round <= 8; round++) {
      const outcomes = await race(handles, 16, (store, racer) =>
        store.webhooks.replace({
          endpoint: sampleEndpoint({ sealed: `${round}-${racer}` }),
          expectedRevision: round,
          event,
        }),
      );
      const winner = onlyIndexOf(outcomes, "replaced");
      expect(winner).not.toBe(-1);
      expect(await handles[1].webhooks.list()).toMatchObject([{ sealed: `${round}-${winner}` }]);
    }
  }),
];

const deliveries: readonly StoreCase[] = [
  toCase("webhooks: a delivery waits, is given up, waits again and arrives", async ([a, b]) => {
    await create(a);
    const [one, two, ten] = [sampleDelivery(1), sampleDelivery(2), sampleDelivery(10)];
    await record(a, { waiting: [ten, two, one] });
    expect(await b.webhooks.waiting(page)).toEqual([one, two, ten]);
    expect(await b.webhooks.waiting({ endpointId, limit: 2 })).toEqual([one, two]);
    const tried = { ...one, attempts: 2, dueAt: sampleTime + 99 };
    const dead = { ...event, kind: "webhook.dead_lettered" } as const;
    await record(b, { waiting: [tried], dead: [two], events: [dead] });
    expect(await a.webhooks.waiting(page)).toEqual([tried, ten]);
    expect(await a.webhooks.dead(page)).toEqual([two]);
    expect(await kindsIn(a)).toEqual(["webhook.created", "webhook.dead_lettered"]);
    await record(a, { waiting: [two], arrived: [one.messageId, "unknown"] });
    expect(await b.webhooks.waiting(page)).toEqual([two, ten]);
    expect(await b.webhooks.dead(page)).toEqual([]);
    expect(await b.webhooks.waiting({ endpointId: "other", limit: 9 })).toEqual([]);
  }),

  toCase("webhooks: only the latest attempts and dead letters are kept", async ([a, b]) => {
    await create(a);
    await record(a, { attempts: [1, 2].map(sampleAttempt), failingSince: 5 });
    await record(b, { attempts: [3, 4].map(sampleAttempt), failingSince: 6 });
    expect(await a.webhooks.attempts(page)).toEqual([4, 3, 2].map(sampleAttempt));
    expect(await a.webhooks.attempts({ endpointId, limit: 1 })).toEqual([sampleAttempt(4)]);
    expect(await a.webhooks.list()).toMatchObject([{ failingSince: 6 }]);
    const letters = [3, 1, 2].map((n) => sampleDelivery(n));
    await record(a, { dead: letters });
    expect(await b.webhooks.list(), "unchanged").toMatchObject([{ failingSince: 6 }]);
    await record(b, { failingSince: null });
    expect((await b.webhooks.dead(page)).map(({ eventId }) => eventId)).toEqual([2, 3]);
    expect(await a.webhooks.list()).toMatchObject([{ failingSince: null }]);
  }),
];

/** Cases for `WebhookStore`. */
export const webhookCases: readonly StoreCase[] = [...endpoints, ...deliveries];
