import type { WebhookDelivery } from "@device-gateway/core/store";
import { expect } from "vitest";
import type { WireCase, WireWorld } from "./world/wire-world.js";

const url = "https://user:password@example.com/hook?key=secret";
const filter = { kinds: ["device.claimed"] };

/** Returns the calls of one user about webhooks: those of the operators, unless the query says otherwise. */
async function signInAs(
  { call, signIn }: WireWorld,
  name: string,
  roles: string[] = [],
  query: { readonly scope?: string } = { scope: "operator" },
) {
  const token = await signIn(name, { roles });
  const about = (webhookId: string) => ({ token, params: { webhookId } });
  return {
    list: () => call("listWebhooks", { token, query }),
    create: (body: object) => call("createWebhook", { token, query, body }),
    read: (id: string) => call("readWebhook", about(id)),
    change: (id: string, body: object) => call("changeWebhook", { ...about(id), body }),
    remove: (id: string) => call("removeWebhook", about(id)),
    rotate: (id: string) => call("rotateWebhookSecret", about(id)),
    test: (id: string) => call("testWebhook", about(id)),
    replay: (id: string, from: unknown) => call("replayWebhook", { ...about(id), body: { from } }),
    attempts: (id: string) => call("listWebhookAttempts", about(id)),
    messages: (id: string, state: string) =>
      call("listWebhookMessages", { ...about(id), query: { state } }),
    retry: (id: string, messageId?: string) =>
      call("retryWebhookMessages", {
        ...about(id),
        body: messageId === undefined ? {} : { messageId },
      }),
  };
}

const operator = (world: WireWorld) => signInAs(world, "op", ["operator"]);

/** Records what a sender did: two messages were given up after an attempt. */
async function giveUp({ store, clock }: WireWorld, endpointId: string): Promise<void> {
  const delivery = (n: number): WebhookDelivery => ({
    ...{ messageId: `evt_${n}`, eventId: n, queue: "gw-1", since: clock.now(), attempts: 9 },
    body: JSON.stringify({
      ...{ type: "device.claimed", timestamp: new Date(clock.now()).toISOString() },
      data: { sequence: n, deviceId: "gw-1", actor: "alice", details: {} },
    }),
    dueAt: clock.now(),
  });
  await store.webhooks.record({
    ...{ endpointId, waiting: [], dead: [delivery(1), delivery(2)], arrived: [], events: [] },
    attempts: [
      {
        ...{ messageId: "evt_1", at: clock.now(), durationMs: 12, status: 500 },
        ...{ error: "The receiver answered with 500", response: "no" },
      },
    ],
    keep: { attempts: 200, dead: 500 },
  });
}

/** Cases for §8: webhooks. */
export const webhookCases: readonly WireCase[] = [
  {
    name: "§8 operators create, list, change and delete webhooks, whose secrets and credentials are shown once or never",
    webhooks: true,
    async run(world) {
      const [op, other, alice] = [
        await operator(world),
        await signInAs(world, "another-operator", ["operator"]),
        await signInAs(world, "alice"),
      ];
      const created = await op.create({ url, filter });
      expect(created.status).toBe(201);
      const { webhook, secret } = created.body;
      expect(secret).toMatch(/^whsec_/);
      expect(webhook).toEqual({
        ...{ id: webhook.id, scope: "operator", url: "https://example.com/hook?…", enabled: true },
        filter: { kinds: ["device.claimed"], deviceIds: [], targetHardware: [], ownerIds: [] },
        ...{ disabledReason: null, failingSince: null },
        createdAt: new Date(world.clock.now()).toISOString(),
      });
      const listed = (await other.list()).body;
      expect(listed.webhooks).toEqual([webhook]);
      expect(listed.kinds).toContain("alert.firing");
      expect((await op.read(webhook.id)).body).toEqual({ webhook });
      expect((await alice.list()).body.code).toBe("forbidden");
      expect((await alice.create({ url })).status).toBe(403);
      for (const refused of [
        await alice.read(webhook.id),
        await alice.change(webhook.id, { enabled: false }),
        await alice.remove(webhook.id),
        await alice.rotate(webhook.id),
        await alice.test(webhook.id),
        await alice.replay(webhook.id, 0),
        await alice.attempts(webhook.id),
        await alice.messages(webhook.id, "dead"),
        await alice.retry(webhook.id),
      ]) {
        expect([refused.status, refused.body.code]).toEqual([404, "webhook_not_found"]);
      }
      const changes = { enabled: false, filter: { deviceIds: ["gw-1"] } };
      const changed = (await other.change(webhook.id, changes)).body.webhook;
      expect(changed).toMatchObject({ enabled: false, url: webhook.url });
      expect(changed.filter).toMatchObject({ kinds: [], deviceIds: ["gw-1"] });
      expect((await op.test(webhook.id)).body.code).toBe("webhook_disabled");
      const rotated = await op.rotate(webhook.id);
      expect(rotated.body.secret).toMatch(/^whsec_/);
      expect(rotated.body.secret).not.toBe(secret);
      expect((await op.remove(webhook.id)).status).toBe(204);
      expect((await op.remove(webhook.id)).status).toBe(404);
      expect((await op.list()).body.webhooks).toEqual([]);
      const trail = await world.store.securityEvents.list({ after: 0, limit: 9 });
      expect(trail.map(({ kind, actor }) => [kind, actor])).toEqual([
        ["webhook.created", "op"],
        ["webhook.changed", "another-operator"],
        ["webhook.changed", "op"],
        ["webhook.removed", "op"],
      ]);
      expect(trail[0]?.requestId).not.toBeNull();
      expect(JSON.stringify(trail)).not.toContain("password");
    },
  },
  {
    name: "§8 a webhook with a private address, an unknown kind, unstorable text or too long a list is 400, and there are at most 20",
    webhooks: true,
    async run(world) {
      const op = await operator(world);
      const refused = async (body: object) => {
        const { status, body: problem } = await op.create(body);
        expect([status, problem.code]).toEqual([400, "invalid_request"]);
        return problem.errors[0].path;
      };
      expect(await refused({ url: "https://169.254.169.254/latest" })).toBe("url");
      expect(await refused({ url: "http://example.com" })).toBe("url");
      expect(await refused({ url, filter: { kinds: ["device.eaten"] } })).toBe("filter.kinds");
      const many = Array.from({ length: 101 }, (_, n) => `gw-${n}`);
      expect(await refused({ url, filter: { deviceIds: many } })).toBe("filter.deviceIds");
      const unstorable = ["\u0000", "gw-\ud800"];
      for (const text of unstorable) {
        const path = "filter.targetHardware.1";
        expect(await refused({ url, filter: { targetHardware: ["🛰", text] } })).toBe(path);
      }
      for (let n = 0; n < 17; n++) expect((await op.create({ url })).status).toBe(201);
      const made = await Promise.all(Array.from({ length: 4 }, () => op.create({ url })));
      const full = made.filter(({ status }) => status !== 201);
      expect(full.map(({ status, body }) => [status, body.code])).toEqual([
        [409, "too_many_webhooks"],
      ]);
      const { id } = made.find(({ status }) => status === 201)?.body.webhook ?? {};
      expect((await op.change(id, { url: "ftp://example.com" })).body.errors[0].path).toBe("url");
      expect((await op.change(id, { filter: { kinds: [""] } })).status).toBe(400);
      for (const text of unstorable) {
        const changed = await op.change(id, { filter: { deviceIds: [text] } });
        expect([changed.status, changed.body.code]).toEqual([400, "invalid_request"]);
      }
      expect((await op.replay(id, "yesterday")).status).toBe(400);
    },
  },
  {
    name: "§8 operators read attempts and messages of a webhook, and send messages that were given up again",
    webhooks: true,
    async run(world) {
      const op = await operator(world);
      const { id } = (await op.create({ url })).body.webhook;
      await giveUp(world, id);
      const at = new Date(world.clock.now()).toISOString();
      expect((await op.attempts(id)).body.attempts).toEqual([
        {
          ...{ messageId: "evt_1", at, durationMs: 12, status: 500, response: "no" },
          error: "The receiver answered with 500",
        },
      ]);
      const dead = async () => (await op.messages(id, "dead")).body.messages;
      expect(await dead()).toHaveLength(2);
      expect((await dead())[0]).toEqual({
        ...{ messageId: "evt_1", state: "dead", kind: "device.claimed", eventId: 1, eventAt: at },
        ...{ deviceId: "gw-1", since: at, attempts: 9, dueAt: null },
      });
      expect((await op.retry(id, "evt_9")).body.code).toBe("webhook_message_not_found");
      const retried = await op.retry(id, "evt_1");
      expect([retried.status, retried.body]).toEqual([202, { messages: 1 }]);
      expect((await op.messages(id, "waiting")).body.messages).toMatchObject([
        { messageId: "evt_1", state: "waiting", attempts: 0, dueAt: at },
      ]);
      expect((await op.retry(id)).body).toEqual({ messages: 1 });
      expect(await dead()).toEqual([]);
      const { messageId } = (await op.test(id)).body;
      expect((await op.messages(id, "waiting")).body.messages[0]).toMatchObject({
        ...{ messageId, kind: "webhook.test", eventId: null, deviceId: null },
      });
      const replayed = await op.replay(id, "2020-01-01T00:00:00Z");
      expect([replayed.status, replayed.body.webhook.id]).toEqual([202, id]);
    },
  },
  {
    name: "§8 a service without webhooks answers that they are not enabled",
    async run(world) {
      const op = await operator(world);
      for (const reply of [await op.list(), await op.create({ url }), await op.read("one")]) {
        expect([reply.status, reply.body.code]).toEqual([404, "webhooks_not_enabled"]);
      }
    },
  },
  {
    name: "§8 owners have no webhooks of their own unless the service allows it",
    webhooks: true,
    async run({ call, signIn }) {
      const token = await signIn("alice");
      expect((await call("listWebhooks", { token })).body.code).toBe("webhooks_not_enabled");
      const created = await call("createWebhook", { token, body: { url } });
      expect(created.body.code).toBe("webhooks_not_enabled");
    },
  },
  {
    name: "§8 if the service allows it, owners manage webhooks of their own, which nobody else sees, at most 5 each",
    webhooks: "owners",
    async run(world) {
      const [alice, bob, op] = [
        await signInAs(world, "alice", [], {}),
        await signInAs(world, "bob", [], {}),
        await operator(world),
      ];
      const created = await alice.create({ url, filter });
      expect([created.status, created.body.webhook.scope]).toEqual([201, "own"]);
      const { id } = created.body.webhook;
      const listed = (await alice.list()).body;
      expect(listed.webhooks).toEqual([created.body.webhook]);
      expect(listed.kinds).toContain("device.offline");
      expect(listed.kinds).not.toContain("device.steered");
      expect((await bob.list()).body.webhooks).toEqual([]);
      expect((await op.list()).body.webhooks).toEqual([]);
      for (const other of [bob, op]) {
        expect((await other.read(id)).status).toBe(404);
        expect((await other.remove(id)).status).toBe(404);
      }
      expect((await alice.test(id)).status).toBe(202);
      expect((await alice.rotate(id)).body.secret).toMatch(/^whsec_/);
      for (const wrong of [{ ownerIds: ["bob"] }, { kinds: ["device.steered"] }]) {
        const refused = await alice.change(id, { filter: wrong });
        expect([refused.status, refused.body.code]).toEqual([400, "invalid_request"]);
      }
      for (let n = 1; n < 5; n++) expect((await alice.create({ url })).status).toBe(201);
      expect((await alice.create({ url })).body.code).toBe("too_many_webhooks");
      expect((await bob.create({ url })).status).toBe(201);
      expect((await alice.remove(id)).status).toBe(204);
    },
  },
];
