import { need } from "../world.js";
import type { FuzzScene } from "./fuzz-world.js";
import type { Provocation, Sent, Specials } from "./provocation.js";

const path = "/dashboard/webhooks";
const query = { scope: "operator" };
const body = { url: "https://user:password@example.com/hook", filter: { deviceIds: ["gw-1"] } };
const most = 20;

async function create({ send, tokens }: FuzzScene): Promise<string> {
  const reply = await send({ method: "POST", path, query, token: tokens.operator, body });
  const { webhook } = JSON.parse(reply.body) as { webhook?: { id: string } };
  return webhook?.id ?? "refused";
}

async function removeAll({ send, tokens }: FuzzScene): Promise<void> {
  const token = tokens.operator;
  const reply = need(await send({ method: "GET", path, query, token }), 200);
  const { webhooks } = JSON.parse(reply.body) as { webhooks: { id: string }[] };
  for (const { id } of webhooks) await send({ method: "DELETE", path: `${path}/${id}`, token });
}

async function fresh(scene: FuzzScene): Promise<string> {
  await removeAll(scene);
  return create(scene);
}

/** A request of an operator about a new webhook. */
const about =
  (sent: Sent = {}): Provocation =>
  async (scene) => ({
    ...{ token: scene.tokens.operator, params: { webhookId: await fresh(scene) } },
    ...sent,
  });
/** A request of an operator about a webhook that does not exist. */
const unknown =
  (sent: Sent = {}): Provocation =>
  ({ tokens }) => ({ token: tokens.operator, params: { webhookId: "never-created" }, ...sent });
const asOperator =
  (sent: Sent): Provocation =>
  ({ tokens }) => ({ token: tokens.operator, ...sent });

const found = { 200: about(), 404: unknown() };

/** How to cause the statuses of the routes about webhooks. */
export const webhookProvocations = {
  listWebhooks: {
    200: asOperator({ query }),
    400: asOperator({ query: { scope: "nobody" } }),
    404: () => ({}),
  },
  createWebhook: {
    201: async (scene) => {
      await removeAll(scene);
      return { token: scene.tokens.operator, query, body };
    },
    404: () => ({ body }),
    409: async (scene) => {
      for (let n = 0; n < most; n++) await create(scene);
      return { token: scene.tokens.operator, query, body };
    },
  },
  readWebhook: found,
  changeWebhook: {
    200: about({ body: { ...body, enabled: true } }),
    404: unknown({ body: { enabled: false } }),
  },
  removeWebhook: { 204: about(), 404: unknown() },
  rotateWebhookSecret: found,
  testWebhook: {
    202: about(),
    404: unknown(),
    409: async (scene) => {
      const webhookId = await fresh(scene);
      const token = scene.tokens.operator;
      const disabled = { enabled: false };
      await scene.send({ method: "PATCH", path: `${path}/${webhookId}`, token, body: disabled });
      return { token, params: { webhookId } };
    },
  },
  replayWebhook: {
    202: about({ body: { from: "2026-01-01T00:00:00Z" } }),
    404: unknown({ body: { from: 0 } }),
  },
  listWebhookAttempts: { 200: about({ query: { limit: "200" } }), 404: unknown() },
  listWebhookMessages: { 200: about({ query: { state: "dead" } }), 404: unknown() },
  retryWebhookMessages: {
    202: about({ body: {} }),
    404: unknown({ body: { messageId: "evt_1" } }),
  },
} satisfies Partial<Specials>;
